package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     E. Dijkstra's counting semaphore, with amounts, and admission in order of arrival
// Sketch:     take n:  waiters not set, and used+n ≤ whole: CAS(state: used += n);  else wait in the line
//             give n:  used -= n; serve the line, if it has waiters
//             admit:   set waiters by the head of the line; while used plus what the head wants ≤ whole: pop, claim; used += that; wake
// Invariants: I1 while waiters is set nobody takes but who serves the line, for the head: nobody is overtaken. I2 while waiters is not set, who has entered the line is
//             about to serve it. I3 waiters is written by who serves only. I4 who was woken is counted in used.
// Progress:   tryTake, and give but for the line, are lock-free; take waits. See line.
// Linearize:  take at L1, or where it is counted at L2; its place in the order where it enters the line; give at L3
// Publish:    what a holder wrote is written before L3 and read after L1, or after the grant that follows L2
// Cost:       one CAS to take, one to give. A wait: two switches, and some 8 atomic writes; no allocation but the first time for the line
// Checked by: the tests of FairMutex, RWMutex, Semaphore and Monitor, and TestExploreQuota…

// quota is an amount of which parts are held: a lock if the whole is. Who wants more than is left waits, and so do all behind. The zero value has nothing held.
type counter struct {
	state atomics.Uint64 // a bit, and above it what is held
	queue lazyWaitQueue
}

const (
	waiters uint64 = 1 << iota // somebody is in the line
	one                        // of what is held

	// whole is how much there is. Whoever means less holds the rest himself.
	whole = 1 << 60
)

func used(state uint64) uint64 { return state / one }

// tryTake takes n if so much is left and nobody waits.
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

// take takes n, and waits for it behind all who wait already.
func (q *counter) take(ctx context.Context, n uint64) error {
	if q.tryTake(n) {
		return nil
	}
	return q.queue.get().wait(ctx, n, q)
}

// tryGive gives n back if so much is held above floor, and at most so much at all, and reports whether.
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
	l := q.queue.get()
	l.join(w)
	l.serve(q)
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
			if w.claim() {
				q.state.Add(n * one) // L2
				w.wake()
			}
		}
	}
}
