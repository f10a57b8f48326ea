package lock

import (
	"context"
	"errors"
	"testing"
)

// plainQueueOfOne is a queue with room for one waiter, for one goroutine.
type plainQueueOfOne struct{ w *Waiter }

func (q *plainQueueOfOne) TryEnqueue(w *Waiter) bool {
	if q.w != nil {
		return false
	}
	q.w = w
	return true
}

func (q *plainQueueOfOne) TryDequeue() (*Waiter, bool) {
	w := q.w
	q.w = nil
	return w, w != nil
}

// TestOverflowIsNotOvertaken has a caller of Lock in the overflow queue. It has not seen yet that
// the lock is free and its queue has room: the others must not go by.
func TestOverflowIsNotOvertaken(t *testing.T) {
	fifo, anderson := NewFIFO(&plainQueueOfOne{}), NewAnderson(2)
	for name, c := range map[string]struct {
		l interface {
			TryLock() bool
			LockContext(ctx context.Context) error
			Unlock()
		}
		overflow *overflowQueue
	}{
		"FIFO":     {fifo, &fifo.fifo.overflow},
		"Anderson": {anderson, &anderson.overflow},
	} {
		t.Run(name, func(t *testing.T) {
			c.overflow.count.Add(1)
			if c.l.TryLock() {
				t.Fatal("TryLock overtakes the caller in the overflow queue")
			}
			if err := c.l.LockContext(t.Context()); !errors.Is(err, ErrFull) {
				t.Fatalf("LockContext returns %v, not that there is no place", err)
			}
			c.overflow.count.Add(-1)
			if !c.l.TryLock() {
				t.Fatal("TryLock fails though no caller is ahead")
			}
			c.l.Unlock()
		})
	}
}
