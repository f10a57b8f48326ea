package queue

import "testing"

// TestWaitersQuitSwept has waiters join and cancel, while one waits for long and none is signaled:
// the cancelled ones are taken out of the lists by and by.
func TestWaitersQuitSwept(t *testing.T) {
	var q waitQueue
	stays := q.newWaiter()
	q.join(stays)
	for i := range 1000 {
		n := q.newWaiter()
		q.join(n)
		if !q.cancel(n) {
			t.Fatal("a waiter was signaled, and no call signals")
		}
		listed := -1 // the one that stays is not cancelled
		for n := q.arrived.Load(); n != nil; n = n.next.Get() {
			listed++
		}
		for _, l := range []*waiterList{&q.requeued, &q.fresh} {
			for n := l.first.Get(); n != nil; n = n.next.Get() {
				listed++
			}
		}
		if most := 1 + sweepAbove; listed > most {
			t.Fatalf("%d waiters are listed after %d have quit, want at most %d", listed, i+1, most)
		}
		if counted := int(q.cancelled.Load()); counted != listed {
			t.Fatalf("%d waiters are listed after %d have quit, and %d are counted", listed, i+1, counted)
		}
	}
	if q.signal(); stays.state.Load() != waiterSignaled {
		t.Error("the waiter that stayed is not signaled")
	}
}
