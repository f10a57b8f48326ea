package activity

import (
	"context"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     the counting barrier. Ours: a round is an object, so that nobody can be late for it; and arrivals can be taken back
// Sketch:     Arrive: CAS(arrived: n → n+1) of the present round; the last: a new round is the present one; open the crowd of the old one
//                     others: wait for its crowd; given up: CAS(arrived: n → n-1), or, if all have arrived, it is too late for that
// Invariants: I1 arrived counts those who wait, or are about to, and have not given up. I2 once it is the size it stays so: the round is over, and
//             all who were counted have passed. I3 the present round changes only after it is over.
// Progress:   arriving is lock-free (who finds a round that is over puts the new one in place), and so is giving up; the rest waits
// Linearize:  the passing of all where the last arrives
// Cost:       two CAS, and an allocation of 16 bytes for each round
// Checked by: TestBarrier…, TestExploreBarrier…

// Barrier holds those who arrive until all have, and then lets them pass; then it begins anew. Activities and ordinary goroutines may call its methods. It is made by
// [NewBarrier], and must not be copied.
type Barrier struct {
	size    int32
	present atomics.Pointer[round]
}

// round is one filling of the barrier.
type round struct {
	broadcast broadcast
	arrived   atomics.Int32
}

// NewBarrier returns a barrier for n. It panics if n is less than 1.
func NewBarrier(n int) *Barrier {
	if n < 1 || n > 1<<30 {
		panic(fmt.Sprintf("activity: NewBarrier(%d), which must be 1 at least, and 1<<30 at most", n))
	}
	b := &Barrier{size: int32(n)}
	b.present.Store(&round{})
	return b
}

// Arrive arrives, and waits until as many have as the barrier is for. It returns nil then, and last for the one who arrived last, who does not wait. Otherwise
// the error says why it did not wait any longer (see the package's documentation): then it has not arrived, and the others wait for another one in its place.
func (b *Barrier) Arrive(ctx context.Context) (last bool, err error) {
	if b == nil || b.size == 0 {
		panic("activity: a nil or zero Barrier; make barriers with NewBarrier")
	}
	r := b.arrive()
	if r == nil {
		return true, nil
	}
	waited := false
	defer func() {
		if !waited {
			r.add(-1, b.size)
		}
	}()
	err = r.broadcast.wait(ctx)
	waited = true
	if err != nil && r.add(-1, b.size) {
		return false, err
	}
	return false, nil
}

// arrive counts the caller, and returns the round; nil if it was the last, and the round is over.
func (b *Barrier) arrive() *round {
	for {
		r := b.present.Load()
		n := r.arrived.Load()
		switch {
		case n == b.size:
			b.present.CompareAndSwap(r, &round{})
		case r.arrived.CompareAndSwap(n, n+1):
			if n+1 < b.size {
				return r
			}
			b.present.CompareAndSwap(r, &round{})
			r.broadcast.open()
			return nil
		}
	}
}

// add adds to those who have arrived, unless the round is over, and reports whether it did.
func (r *round) add(n, size int32) bool {
	for {
		arrived := r.arrived.Load()
		if arrived == size {
			return false
		}
		if r.arrived.CompareAndSwap(arrived, arrived+n) {
			return true
		}
	}
}
