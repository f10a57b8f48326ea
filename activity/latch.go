package activity

import (
	"context"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Latch is waited for until it was counted down to nothing; then it stays open. Activities and ordinary goroutines may call its methods. It is made by [NewLatch], and
// must not be copied. It is a crowd with a counter: who counts down to 0 opens it. What was done before CountDown is seen by who has waited.
type Latch struct {
	left      atomics.Int64
	broadcast broadcast
	made      bool // by NewLatch
}

// NewLatch returns a latch that opens after n calls of CountDown: at once if n is 0. It panics if n is negative.
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

// CountDown counts down by one, and opens l for all that wait if that was the last. It panics if l is open. It does not wait:
// lock-free, one CAS.
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

// Left returns how many calls of CountDown are left. It is a snapshot.
func (l *Latch) Left() int { return int(l.left.Load()) }

// Wait waits until l is open. It returns nil then; otherwise the error says why it did not wait any longer (see the package's documentation). A call that need not
// wait does not look at ctx. For the zero Latch, which nothing opens, it panics.
func (l *Latch) Wait(ctx context.Context) error {
	l.mustBeMade()
	return l.broadcast.wait(ctx)
}

func (l *Latch) mustBeMade() {
	if l == nil || !l.made {
		panic("activity: a nil or zero Latch; make latches with NewLatch")
	}
}
