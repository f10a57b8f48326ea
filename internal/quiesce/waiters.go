package quiesce

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Sketch:     K1  a waiter that finds the counter's word empty takes Waiters from the pool, with a
//                 hold for itself and one for the word, and puts them into the word
//             K2  a waiter that finds Waiters there takes a hold, unless there is none left, and
//                 looks whether the word still leads to them
//             K3  the waker takes them out of the word, lays a token into them, and gives up the
//                 word's hold
//             K4  a waiter that has got the token lays it back for the next one, and gives up its
//                 hold; a waiter that waits no longer gives up its hold
//             K5  the last hold goes: the token is taken out, and the Waiters return to the pool
// Invariants: I1  holds = goroutines that wait, or are about to look + one while a word leads here.
//             I2  Waiters that were taken out of a word are in no word until they were in the pool.
//             I3  They have a token from K3 to K5, but for a waiter between its two steps of K4.
// ABA:        between K2's load and its hold the Waiters may have come to another counter: the
//             second look at the word finds that.
// Progress:   lock-free; only the receive from Token waits.
// Cost:       no allocation in steady state.
// Checked by: TestExploreCounterWakes, TestExploreWaiters…

// Waiters are the goroutines that wait for the next zero of one counter. They are used again, for
// other counters too.
type Waiters struct {
	token chan struct{} // room for one
	holds atomics.Int32
	pool  *Pool
}

func newWaiters(p *Pool) *Waiters { return &Waiters{token: make(chan struct{}, 1), pool: p} }

// Token returns the channel to receive from. A waiter that has received calls Wake, for the next
// one, and then Leave.
func (w *Waiters) Token() <-chan struct{} { return w.token }

// Wake wakes all waiters (K3, K4).
func (w *Waiters) Wake() {
	select {
	case w.token <- struct{}{}:
	default:
	}
}

// Leave gives up a hold. Each waiter calls it once.
func (w *Waiters) Leave() {
	if w.holds.Add(-1) != 0 {
		return
	}
	select { // K5
	case <-w.token:
	default:
	}
	w.pool.give(w)
}

// hold takes a hold, unless there is none left.
func (w *Waiters) hold() bool {
	for {
		n := w.holds.Load()
		if n == 0 {
			return false
		}
		if w.holds.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// join returns the waiters for the counter's next zero, with a hold for the caller; nil if the word
// changes meanwhile.
func (c *Counter) join(pool *Pool) *Waiters {
	if w := c.zero.Load(); w != nil { // K2
		if !w.hold() {
			return nil
		}
		if c.zero.Load() == w {
			return w
		}
		w.Leave()
		return nil
	}
	w := pool.take() // K1
	w.holds.Store(2)
	if !c.zero.CompareAndSwap(nil, w) {
		w.Leave() // not by a store: a late waiter of the counter where they were before may have a hold
		w.Leave()
		return nil
	}
	return w
}
