package activity

import (
	"context"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Latch opens when it has been counted down to 0, and then stays open. Activities and ordinary
// goroutines may call its methods. What a goroutine did before CountDown is visible to the waiters
// that pass. [NewLatch] makes it; it must not be copied. It is a broadcast with a count.
type Latch struct {
	left      atomics.Int64
	broadcast broadcast
	made      bool // NewLatch has made it
}

// NewLatch returns a latch that opens after n calls of CountDown; at once if n is 0. It panics if
// n is negative.
func NewLatch(n int) *Latch {
	if n < 0 {
		panic(fmt.Sprintf("activity: NewLatch(%d), which must not be negative", n))
	}
	l := &Latch{made: true}
	l.left.Store(int64(n))
	if n == 0 {
		l.broadcast.open()
	}
	return l
}

// CountDown counts down by one. The last call opens l and wakes all waiters. It panics if l is
// open. It does not wait: it is lock-free, one CAS.
func (l *Latch) CountDown() {
	for {
		left := l.left.Load()
		if left == 0 {
			l.mustBeMade()
			panic("activity: CountDown of a Latch that is open")
		}
		if l.left.CompareAndSwap(left, left-1) {
			if left == 1 {
				l.broadcast.open()
			}
			return
		}
	}
}

// Wait waits until l is open. It returns nil then; otherwise the error says why it stopped waiting
// (see the package's documentation). A call that need not wait does not look at ctx. It panics for
// the zero Latch, which nothing opens.
func (l *Latch) Wait(ctx context.Context) error {
	l.mustBeMade()
	return l.broadcast.wait(ctx)
}

func (l *Latch) mustBeMade() {
	if l == nil || !l.made {
		panic("activity: a nil or zero Latch; make latches with NewLatch")
	}
}
