package freeruntest_test

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// TestMisuseIsTold calls what was not made, and with what is not there, and holds that each panic, or
// error, says what would be right.
func TestMisuseIsTold(t *testing.T) {
	for name, misuse := range map[string]struct {
		want string
		use  func()
	}{
		"Explore without a body": {
			"freeruntest: Explore with a nil body",
			func() { freeruntest.Explore(t, nil) },
		},
		"Explore with a zero Option": {
			"freeruntest: Explore with a zero Option, the one with index 0",
			func() { freeruntest.Explore(t, func(*freerun.Runtime) {}, freeruntest.Option{}) },
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
