//go:build explore

package pin

import "github.com/freerun-go/freerun/internal/verify/memory"

// Exclusive is true: a model thread has a processor of its own.
const Exclusive = true

// Pin returns the number of the model thread.
func Pin() int { return memory.Index() }

// Unpin does nothing.
func Unpin() {}

// fenced is false: RelaxedWords of the model are visible at once.
const fenced = false

func barrier() {}

// Prepare does nothing.
func Prepare() {}

// Status says that this is a model.
func Status() State {
	return State{"model", "built with the tag explore: a model thread is a processor"}
}
