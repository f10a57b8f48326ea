package blockhook

import "sync/atomic"

// TestCommand is the environment variable that `freerun test` sets, for the tests that it runs.
const TestCommand = "FREERUN_TEST"

// checked is whether a quantum was used up at a check.
var checked atomic.Bool

// NoteCheck notes that a quantum was used up at a check that `freerun build` has inserted: without
// checks the program would run on otherwise. Any goroutine may call it.
func NoteCheck() {
	if !checked.Load() {
		checked.Store(true)
	}
}

// Checked reports whether NoteCheck was called. Any goroutine may call it.
func Checked() bool { return checked.Load() }
