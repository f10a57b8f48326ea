package stripe

import (
	"runtime"
	_ "sync/atomic" // lets the compiler inline the operations of internal/sync/atomics

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Source:     our own
// Sketch:     Admit:      in a section of the stripe: look at the phase; count, or withdraw
//             no stripe:  rest += 1; look at the phase; rest −= 1 if it is too late
//             the end:    phase = later; Rendezvous; Total
// Invariants: I1 The check of the phase and the count are one section of the stripe's tally. After
//             Rendezvous, all sections that began before the phase was set have ended.
//             So Total has all that were admitted, but for callers without a stripe: those may have
//             counted, and be about to take the count back.
//             I2 The count comes before the caller shares the message that it has counted.
// Progress:   Admit is wait-free: it looks at each stripe once. Rendezvous waits for sections,
//             which are a few instructions long.
// Publish:    The writes before a change of the phase are seen by callers that it refuses.
// Cost:       two plain additions to a word of the holder's; without pinning, a compare-and-swap
// Checked by: TestExploreStripes…, TestStripes…

// Stripes has a stripe for each P, and the count of those that found none. Each stripe keeps a T.
// The zero value has no stripe: all callers share a word. It must not be copied after first use.
type Stripes[T any] struct {
	list []Stripe[T]
	rest atomics.Uint64 // how many were admitted without a stripe
}

// Stripe is a part of the stripes, which one goroutine at a time uses.
type Stripe[T any] struct {
	_       pad.Line
	sent    pin.Tally
	Kept    T            // the holder's
	claimed atomics.Bool // unused with pinning
	_       pad.Line
}

// fewest is the least number of stripes, more than most programs have Ps. GOMAXPROCS may be raised
// later; a caller on a P without a stripe shares a word with others.
const fewest = 16

// Make makes the stripes. Nothing was counted before.
func (b *Stripes[T]) Make() {
	b.list = make([]Stripe[T], max(fewest, runtime.GOMAXPROCS(0), runtime.NumCPU()))
}

// Len returns the number of stripes.
func (b *Stripes[T]) Len() int { return len(b.list) }

// At returns stripe i, nil if there is none. It is the fast path of Enter, in one piece, for
// callers that are pinned to P i.
func (b *Stripes[T]) At(i int) *Stripe[T] {
	if i < len(b.list) {
		return &b.list[i]
	}
	return nil
}

// Enter returns a stripe, which the caller owns until Leave. The caller must not block in between.
// Enter returns nil if no stripe is free.
func (b *Stripes[T]) Enter() *Stripe[T] {
	i := pin.Pin()
	if pin.Exclusive {
		if i < len(b.list) { // GOMAXPROCS may have grown since Make
			return &b.list[i]
		}
		pin.Unpin()
		return nil
	}
	pin.Unpin()
	for range b.list {
		s := &b.list[i%len(b.list)]
		if !s.claimed.Load() && s.claimed.CompareAndSwap(false, true) {
			return s
		}
		i++
	}
	return nil
}

// Leave gives a stripe from Enter back.
func (s *Stripe[T]) Leave() {
	if pin.Exclusive {
		pin.Unpin()
	} else {
		s.claimed.Store(false)
	}
}

// Admit counts the caller. It returns false, and leaves the caller uncounted, if the phase is
// beyond latest.
func (b *Stripes[T]) Admit(phase *atomics.Uint32, latest uint32) bool {
	s := b.Enter()
	if s == nil {
		return b.AdmitWithout(phase, latest)
	}
	admitted := s.Admit(phase, latest)
	s.Leave()
	return admitted
}

// Admit is Stripes.Admit for the owner of the stripe.
func (s *Stripe[T]) Admit(phase *atomics.Uint32, latest uint32) bool {
	s.sent.Begin()
	if phase.Load() > latest {
		s.sent.Withdraw()
		return false
	}
	s.sent.Count()
	return true
}

// AdmitWithout is Stripes.Admit for a caller that found no stripe. It counts first and takes the
// count back if the phase is beyond latest.
func (b *Stripes[T]) AdmitWithout(phase *atomics.Uint32, latest uint32) bool {
	b.rest.Add(1)
	if phase.Load() > latest {
		b.rest.Add(^uint64(0))
		return false
	}
	return true
}

// Rendezvous waits until all sections of stripes that were under way when it was called have ended.
func (b *Stripes[T]) Rendezvous() {
	if pin.Exclusive {
		pin.Rendezvous(len(b.list), func(i int) *pin.Tally { return &b.list[i].sent })
		return
	}
	for i := range b.list {
		s := &b.list[i]
		for !s.claimed.CompareAndSwap(false, true) {
			runtime.Gosched()
		}
		s.Leave()
	}
}

// Total returns how many were admitted.
func (b *Stripes[T]) Total() uint64 {
	n := b.rest.Load()
	for i := range b.list {
		n += b.list[i].sent.Load()
	}
	return n
}
