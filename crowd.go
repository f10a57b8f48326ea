package freerun

import "github.com/freerun-go/freerun/internal/sync/atomics"

// All waiters for the next zero of a tally wait in its crowd: the word zero of the tally leads to
// it. A crowd is used again, for another tally too, so a wait allocates nothing in steady state.
//
//	K1  a waiter that finds no crowd takes one from the pool, with a hold for itself and one for
//	    the word, and puts it into the word
//	K2  a waiter that finds a crowd takes a hold, unless there is none left, and looks whether the
//	    word still leads there
//	K3  the waker takes the crowd out of the word, lays a token into it, and gives up the word's hold
//	K4  a waiter that has got the token lays it back for the next one, and gives up its hold; a
//	    waiter that waits no longer gives up its hold
//	K5  the last hold goes: the token is taken out, and the crowd returns to the pool

// Invariants: I1 holds = those who wait, or are about to look + one while a word leads to the crowd.
//             I2 a crowd that was taken out of a word is in none until it was in the pool.
//             I3 it has a token from K3 to K5, but for one waiter between its two steps of K4.
// ABA:        between K2's load and its hold the crowd may have come to another tally: the second
//             look at the word finds that.
// Progress:   lock-free; only the wait itself waits.
// Checked by: TestExploreTallyWakes, TestExploreCrowd…

// crowd is where the waiters for a tally's next zero wait.
type crowd struct {
	token chan struct{} // room for one
	holds atomics.Int32
	pool  *crowdPool
}

func newCrowd(p *crowdPool) *crowd { return &crowd{token: make(chan struct{}, 1), pool: p} }

// join returns the crowd that the tally wakes at its next zero, with a hold for the caller; nil if
// the word changes meanwhile.
func (t *tally) join(pool *crowdPool) *crowd {
	if k := t.zero.Load(); k != nil { // K2
		if !k.hold() {
			return nil
		}
		if t.zero.Load() == k {
			return k
		}
		k.leave()
		return nil
	}
	k := pool.take() // K1
	k.holds.Store(2)
	if !t.zero.CompareAndSwap(nil, k) {
		k.leave() // not by a store: a waiter of the tally where it was before may hold it, too late
		k.leave()
		return nil
	}
	return k
}

// hold takes a hold, unless there is none left.
func (k *crowd) hold() bool {
	for {
		n := k.holds.Load()
		if n == 0 {
			return false
		}
		if k.holds.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// wake wakes all that wait in the crowd (K3, K4).
func (k *crowd) wake() {
	select {
	case k.token <- struct{}{}:
	default:
	}
}

// leave gives up a hold.
func (k *crowd) leave() {
	if k.holds.Add(-1) != 0 {
		return
	}
	select { // K5
	case <-k.token:
	default:
	}
	k.pool.give(k)
}
