package quiesce

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Here the word is Counter.zero, and a hold is a reference counted in Waiters.holds.
//
// Sketch:     K1  a waiter that finds the word empty takes Waiters from the pool, with a hold for
//                 itself and one for the word, and puts them into the word
//             K2  a waiter that finds Waiters in the word takes a hold, if any hold is left, and
//                 looks whether the word still points to them
//             K3  the waker takes the Waiters out of the word, puts a token into them, and gives up
//                 the word's hold
//             K4  a waiter that receives the token puts it back for the next waiter, and gives up
//                 its hold; a waiter that ends its wait otherwise only gives up its hold
//             K5  the waiter or waker that gives up the last hold takes the token out, and returns
//                 the Waiters to the pool
// Invariants: I1  holds = goroutines that wait or are about to look + one while a word points here.
//             I2  Waiters that were taken out of a word are in no word until they were in the pool.
//             I3  They have a token from K3 to K5, except while a waiter is between the two steps
//                 of K4.
// ABA:        Between the load and the hold of K2 the Waiters may have come to another counter. The
//             second look at the word finds that.
// Progress:   lock-free; only the receive from Token waits.
// Cost:       no allocation in steady state.
// Checked by: TestExploreCounterWakes, TestExploreWaiters…

// Waiters are the goroutines that wait for the next zero of one counter. The same Waiters are used
// again, for other counters too. Any goroutine may call the methods.
type Waiters struct {
	token chan struct{} // room for one
	holds atomics.Int32
	pool  *Pool
}

func newWaiters(p *Pool) *Waiters { return &Waiters{token: make(chan struct{}, 1), pool: p} }

// Token returns the channel from which a waiter receives. A waiter that has received calls Wake,
// for the next waiter, and then Leave.
func (w *Waiters) Token() <-chan struct{} { return w.token }

// Wake puts the token in, unless it is there (K3, K4). Each woken waiter wakes the next one.
func (w *Waiters) Wake() {
	select {
	case w.token <- struct{}{}:
	default:
	}
}

// Leave gives up a hold. Each waiter calls it once, and the waker once for the word.
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

// hold takes a hold. It returns false if no hold was left: then the Waiters are in the pool, or on
// their way there.
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
		// No store of 0: a late waiter (K2) of an earlier counter may have a hold.
		w.Leave()
		w.Leave()
		return nil
	}
	return w
}
