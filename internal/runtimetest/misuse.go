package runtimetest

import (
	"fmt"
	"testing"
)

// Misuses are wrong calls, by the names that a failure gives them.
type Misuses map[string]struct {
	Want string // what the call panics with
	Call func()
}

// Misuse makes each of the calls, and fails the test unless it panics with exactly what is wanted.
// A call that is to return an error panics with that.
func Misuse(t *testing.T, calls Misuses) {
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
