package freeruntest_test

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// TestMisuseIsTold passes arguments that cannot be right, and holds that each panic says what would
// be.
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
