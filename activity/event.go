package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     the event with manual reset of operating systems. Ours: each period until Set has a
//             broadcast of its own, so that Set wakes exactly those that came before, whatever
//             Reset does meanwhile
// Sketch:     Set:   open the present broadcast
//             Reset: CAS(present: the open one → a new one)
//             Wait:  wait for the present broadcast
// Invariants: I1 the event is set exactly while its present broadcast is open.
//             I2 a broadcast that is open stays open.
// Progress:   Set and Reset are lock-free; Wait waits, and IsSet is wait-free
// Cost:       Set one swap, Reset one CAS and an allocation of 8 bytes
// Checked by: TestEvent…, TestExploreEvent…

// Event is a flag that can be waited for, set and reset. Set wakes all waiters, also if the event
// is reset at once. Activities and ordinary goroutines may call its methods. The zero value is not
// set. It must not be copied after first use.
type Event struct{ present atomics.Pointer[broadcast] }

// broadcast returns the present broadcast.
func (e *Event) broadcast() *broadcast {
	c := e.present.Load()
	if c == nil {
		c = &broadcast{}
		if !e.present.CompareAndSwap(nil, c) {
			c = e.present.Load()
		}
	}
	return c
}

// Set sets e. It does not wait.
func (e *Event) Set() { e.broadcast().open() }

// Reset resets e if it is set. It does not wait.
func (e *Event) Reset() {
	if c := e.present.Load(); c != nil && c.isOpen() {
		e.present.CompareAndSwap(c, &broadcast{})
	}
}

// IsSet reports whether e is set.
func (e *Event) IsSet() bool {
	c := e.present.Load()
	return c != nil && c.isOpen()
}

// Wait waits until e is set. It returns nil, also if e is reset meanwhile; otherwise the error
// says why it stopped waiting (see the package's documentation). A call that need not wait does
// not look at ctx.
func (e *Event) Wait(ctx context.Context) error { return e.broadcast().wait(ctx) }
