// Package misuse checks what wrong calls panic with. Tests of all packages may import it, those of
// packages that package freerun imports too.
package misuse

import (
	"fmt"
	"testing"
)

// Calls are wrong calls, by the names that a failure gives them.
type Calls map[string]struct {
	Want string // what the call panics with
	Call func()
}

// Check makes each of the calls, and fails the test unless it panics with exactly what is wanted.
// If the wrong call returns an error, Call panics with that error.
func Check(t *testing.T, calls Calls) {
	t.Helper()
	for name, c := range calls {
		if text := panicOf(c.Call); text != c.Want {
			t.Errorf("%s panics with %q, want %q", name, text, c.Want)
		}
	}
}

// panicOf returns the text of what f panics with, "<nil>" if it does not panic.
func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}
