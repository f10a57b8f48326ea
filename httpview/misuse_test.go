package httpview

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestMisuseIsTold calls what was not made, and with what is not there, and holds that each panic, or
// error, says what would be right.
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
		"Handler with a nil option": {
			"httpview: Handler with a nil option, the one with index 0",
			func() { Handler(rt, nil) },
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
