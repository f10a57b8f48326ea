// Package poll lets code without an activity in reach give up its processor.
package poll

import "sync/atomic"

var (
	word atomic.Uint32
	slow func()
)

// Here gives up the processor if the activity that runs the code has had it for long.
func Here() {
	if word.Load() != 0 {
		Slow()
	}
}

// Slow is the rare part of [Here].
func Slow() {
	if slow != nil {
		slow()
	}
}
