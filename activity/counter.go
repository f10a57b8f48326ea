package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     E. Dijkstra's counting semaphore, with amounts, and admission in order of arrival
// Sketch:     take n: waiters not set, and used+n ≤ whole: CAS(state: used += n)
//                    else wait in the queue
//             give n: used -= n; serve the queue, if it has waiters
//             admit:  set waiters if the queue has a head, clear it if not
//                     while used plus what the head wants ≤ whole: pop, claim; used += that; wake
// Invariants: I1 while waiters is set only the server of the queue takes, for the head: no waiter
//             is overtaken.
//             I2 while waiters is not set, a waiter that has entered the queue is about to serve
//             it.
//             I3 waiters is written by the server of the queue only.
//             I4 a waiter that was woken is counted in used.
// Progress:   tryTake, and give except for the queue, are lock-free; take waits. See waitQueue.
// Linearize:  take at L1, or where it is counted at L2; its place in the order where it enters the
//             queue; give at L3
// Publish:    what a holder wrote is written before L3 and read after L1, or after the grant that
//             follows L2
// Cost:       one CAS to take, one to give. A wait: two switches, 4 atomic writes by the waiter and
//             5 by the caller that admits it, if no other server is at work; no allocation but the
//             first time for the queue
// Checked by: the tests of FairMutex, RWMutex, Semaphore and Monitor, and TestExploreCounter…

// counter is an amount of which parts are held; it is a lock if the parts are the whole. A caller
// that wants more than is left waits, and so do all behind it. The zero value has nothing held.
type counter struct {
	state atomics.Uint64 // the bit waiters, and above it the amount that is held
	queue lazyWaitQueue
}

const (
	waiters uint64 = 1 << iota // the queue has a head; see I1 to I3
	one                        // the step of the amount

	// whole is the amount that there is. A Semaphore, which has less, begins with the rest held.
	whole = 1 << 60
)

func used(state uint64) uint64 { return state / one }

// tryTake takes n if so much is left and waiters is not set. It reports whether it did.
func (q *counter) tryTake(n uint64) bool {
	for {
		s := q.state.Load()
		if s&waiters != 0 || used(s)+n > whole {
			return false
		}
		if q.state.CompareAndSwap(s, s+n*one) { // L1
			return true
		}
	}
}

// take takes n. It waits, behind all earlier waiters, until so much is left.
func (q *counter) take(ctx context.Context, n uint64) error {
	if q.tryTake(n) {
		return nil
	}
	return q.queue.get().wait(ctx, n, q)
}

// tryGive gives n back if at least floor+n, and at most most, is held. It reports whether it did.
func (q *counter) tryGive(n, floor, most uint64) bool {
	for {
		s := q.state.Load()
		if held := used(s); held < floor+n || held > most {
			return false
		}
		if q.state.CompareAndSwap(s, s-n*one) { // L3
			if s&waiters != 0 {
				q.queue.get().serve(q)
			}
			return true
		}
	}
}

func (q *counter) enter(w *Waiter) {
	q.queue.get().enter(w, q)
}

func (q *counter) admit(l *waitQueue) {
	for {
		w := l.head()
		s := q.state.Load()
		if w == nil {
			if s&waiters == 0 || q.state.CompareAndSwap(s, s&^waiters) {
				return
			}
			continue
		}
		n := w.Tag
		switch {
		case s&waiters == 0:
			q.state.CompareAndSwap(s, s|waiters)
		case used(s)+n > whole:
			return
		default:
			l.pop()
			if !w.claim() {
				continue
			}
			left := waiters
			if l.head() == nil {
				left = 0
			}
			q.count(n, left) // L2
			w.wake()
			if left == 0 {
				return
			}
		}
	}
}

// count adds n to the amount that is held, and sets waiters to left. Only the server calls it,
// while waiters is set.
func (q *counter) count(n, left uint64) {
	for {
		s := q.state.Load()
		if q.state.CompareAndSwap(s, s&^waiters+n*one|left) {
			return
		}
	}
}
