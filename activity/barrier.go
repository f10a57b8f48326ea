package activity

import (
	"context"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     the counting barrier. Ours: a round is an object, so that no arrival can be late for
//             it; and arrivals can be taken back
// Sketch:     Arrive: CAS(arrived: n → n+1) of the present round
//                     the last: make a new round the present one; open the broadcast of the old one
//                     others:   wait for its broadcast
//                     given up: CAS(arrived: n → n-1), unless all have arrived
// Invariants: I1 arrived counts the callers that wait, or are about to wait, and have not given
//             up.
//             I2 once arrived is the size it does not change: the round is over, and all that were
//             counted pass.
//             I3 the present round changes only after it is over.
// Progress:   arriving is lock-free (a caller that finds a round to be over puts the new one in
//             place), and so is giving up; the rest waits
// Linearize:  all callers of a round pass where the last one arrives
// Cost:       two CAS, and an allocation of 16 bytes for each round
// Checked by: TestBarrier…, TestExploreBarrier…

// Barrier holds its callers until a fixed number of them have arrived, and then lets them all pass
// and begins anew. Activities and ordinary goroutines may call its methods. [NewBarrier] makes it;
// it must not be copied.
type Barrier struct {
	size    int32
	present atomics.Pointer[round]
}

// round is one filling of the barrier.
type round struct {
	broadcast broadcast
	arrived   atomics.Int32
}

// NewBarrier returns a barrier for n callers. It panics if n is less than 1 or more than 1<<30.
func NewBarrier(n int) *Barrier {
	if n < 1 || n > 1<<30 {
		panic(fmt.Sprintf("activity: NewBarrier(%d), which must be 1 at least, and 1<<30 at most", n))
	}
	b := &Barrier{size: int32(n)}
	b.present.Store(&round{})
	return b
}

// Arrive waits until as many callers have arrived as the barrier is for. It then returns nil, with
// last set for the caller that arrived last and did not wait. Otherwise the error says why it
// stopped waiting (see the package's documentation): the arrival is taken back, and the others
// wait for another caller.
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

// arrive counts the caller. It returns the round, or nil if the caller was the last one and the
// round is over.
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

// add adds n to the arrivals, unless the round is over. It reports whether it did.
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
