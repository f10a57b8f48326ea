package quiesce

import (
	_ "sync/atomic" // lets the compiler inline the operations of internal/sync/atomics

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     F. Mattern, Global quiescence detection based on credit distribution and recovery,
//             Information Processing Letters 30, 1989: weights are handed out and must come back.
// Sketch:     W1  the waiter joins the Waiters     E1  the last Remove makes the counter zero
//             W2  and looks whether the counter    E2  and takes the Waiters out, and wakes them
//                 is zero
//             Each side writes first and then reads the word that the other side writes. So one of
//             them sees the other.
// Invariants: I1  counter = open messages + amounts in credits + counters below that are not zero.
//             I2  A counter that leaves zero adds one to the counter above, before the message that
//                 it counts is shared.
//                 So a counter above is not zero while a message below is open.
//             Not invariant: a counter above may be too high for a moment, on the way back to zero.
//             Not invariant: that the counter is zero when a waiter is woken. The zero may have
//             come before W1, so the waiter looks again.
// Progress:   wait-free but for W1, which is lock-free.
// Cost:       one atomic addition, and one for each counter above that leaves zero or comes back.
// Checked by: TestExploreCounter…, TestExploreWaiters…

// Counter counts the open messages of one group, and the groups below that have open messages. The
// zero value is zero, and has no counter above. Any goroutine may use it. It must not be copied.
type Counter struct {
	open  atomics.Int64
	zero  atomics.Pointer[Waiters] // for the next zero; nil if none waits
	above *Counter
}

// Below places the counter below above. The caller does so before the first Add.
func (c *Counter) Below(above *Counter) { c.above = above }

// Add counts n more messages. The caller has not shared them yet.
func (c *Counter) Add(n int64) {
	for ; c != nil && c.open.Add(n) == n; n = 1 {
		c = c.above
	}
}

// Remove takes n messages back, and wakes the waiters if that makes the counter zero.
func (c *Counter) Remove(n int64) {
	for ; c != nil && c.open.Add(-n) == 0; n = 1 { // E1
		if c.zero.Load() != nil { // E2
			c.Wake()
		}
		c = c.above
	}
}

// Open returns the count, credits included.
func (c *Counter) Open() int64 { return c.open.Load() }

// Wake wakes the waiters at any count. They look again.
func (c *Counter) Wake() {
	if w := c.zero.Swap(nil); w != nil {
		woken := w.pool.Woken
		w.Wake()
		w.Leave()
		if woken != nil {
			woken()
		}
	}
}

// NextZero returns the waiters that are woken at the next zero. The caller is one of them until it
// calls Leave. It returns nil if the counter is zero.
func (c *Counter) NextZero(pool *Pool) *Waiters {
	for c.open.Load() != 0 {
		w := c.join(pool) // W1
		if w == nil {
			continue
		}
		if c.open.Load() == 0 { // W2
			w.Leave()
			return nil
		}
		return w
	}
	return nil
}
