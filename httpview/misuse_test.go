package httpview

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestMisuseIsTold uses zero values, and arguments that are missing. Each panic or error must say
// what would be right.
func TestMisuseIsTold(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	for name, misuse := range map[string]struct {
		want string
		use  func()
	}{
		"Handler of no runtime": {
			"httpview: Handler needs a runtime",
			func() { Handler(nil) },
		},
		"Handler of a zero Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { Handler(new(freerun.Runtime)) },
		},
		"Handler with a zero Option": {
			"httpview: a zero Option, the one with index 0",
			func() { Handler(rt, Option{}) },
		},
		"NewCollector of a zero Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { NewCollector(new(freerun.Runtime)) },
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
