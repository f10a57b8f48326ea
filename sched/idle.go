package sched

import "github.com/freerun-go/freerun/internal/atomics"

// idleNotice tells the goroutines that wait for the scheduler to be idle, by closing a channel that all of them share: so those
// who gave up waiting leave nothing behind.
type idleNotice struct {
	next atomics.Pointer[chan struct{}]
}

// await returns a channel that is closed when next the last processor parks. Any goroutine.
func (n *idleNotice) await() <-chan struct{} {
	var fresh chan struct{}
	for {
		if c := n.next.Load(); c != nil {
			return *c
		}
		if fresh == nil {
			fresh = make(chan struct{})
		}
		if n.next.CompareAndSwap(nil, &fresh) {
			return fresh
		}
	}
}

// tell closes the channel given out so far. Any goroutine.
func (n *idleNotice) tell() {
	if n.next.Load() == nil {
		return
	}
	if c := n.next.Swap(nil); c != nil {
		close(*c)
	}
}
