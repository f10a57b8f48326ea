package ddb

import (
	"fmt"
	"testing"
)

// TestMisuseIsTold uses zero values, and arguments that are missing. Each panic or error must say
// what would be right.
func TestMisuseIsTold(t *testing.T) {
	for name, misuse := range map[string]struct {
		want string
		use  func()
	}{
		"Listen of a zero Server": {
			"ddb: a nil or zero Server; make servers with New",
			func() { _, _ = new(Server).Listen("127.0.0.1:0") },
		},
		"Stats of a zero Server": {
			"ddb: a nil or zero Server; make servers with New",
			func() { new(Server).Stats() },
		},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); text != misuse.want {
					t.Errorf("%s panics with %q, want %q", name, text, misuse.want)
				}
			}()
			misuse.use()
		}()
	}
}
