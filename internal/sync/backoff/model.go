//go:build explore

package backoff

import "github.com/freerun-go/freerun/internal/verify/memory"

// Backoff counts nothing: the scheduler decides which thread goes on.
type Backoff struct{ waited bool }

// Retry does nothing.
func (b *Backoff) Retry() {}

// Wait waits until another thread has written something. The first call returns at once, as a real
// turn does: otherwise the explorer would never see a thread that gives up spinning and parks.
func (b *Backoff) Wait() {
	if !b.waited {
		b.waited = true
		return
	}
	memory.SpinOnce()
}

// Rest is Wait.
func (b *Backoff) Rest() { b.Wait() }

// Spent reports whether Wait was called, so that parking is explored too.
func (b *Backoff) Spent() bool { return b.waited }
