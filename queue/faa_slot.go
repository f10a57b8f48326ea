package queue

import (
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// segmentSlot holds one item in each life of its segment, or none. One enqueuer and one dequeuer
// have claimed it. The enqueuer changes the mark by an exchange, which tells it whether the
// dequeuer has refused; so does a dequeuer that refuses.
//
//	           put              take             done
//	vacant ──────────→ filled ─────────→ taken ─────────→ spent      the item went through
//	   │ await                                              ↑
//	   └─────────────→ refused ────────→ filled ────────────┘        the dequeuer came first
//	                             put             done                and ran out of patience
//
// If await finds the item, the dequeuer copies it and calls done; until then the mark is filled, or
// refused if the exchange that was to refuse found the item. After a refusal, put returns false,
// the enqueuer clears the slot with done, and both try the next slot. A dequeuer that has refused
// does not touch the slot again, so spent means that both are through with it: the segment can be
// used again when all its slots are spent.
type segmentSlot[T any] struct {
	mark atomics.Release[uint32]
	// The enqueuer's until it has set filled in place of vacant, then the dequeuer's until it has
	// set spent. After a refusal the enqueuer's until it has set spent.
	value atomics.Plain[T]
}

// The values of a mark.
const (
	vacant uint32 = iota
	filled
	taken
	refused
	spent
)

// patience is how many times a dequeuer looks again at its slot, with pauses in between, before it
// refuses: long enough for an enqueuer at work on another processor, and not for one that is not
// running.
const patience = 4

// put gives the slot its item, and reports whether the dequeuer will find it. Otherwise the
// dequeuer has refused, and the enqueuer calls done.
func (s *segmentSlot[T]) put(v *T) bool {
	*s.value.ForWrite() = *v
	return s.mark.Swap(filled) == vacant
}

// hold gives the slot its item while no other goroutine knows of it.
func (s *segmentSlot[T]) hold(v *T) {
	*s.value.ForWrite() = *v
	s.mark.Store(filled)
}

// The dequeuer calls take, which reports whether the item is there; if not, await decides. It sets
// taken instead of only reading filled, because that brings the cache line here for writing at
// once, instead of once to read and once more to write: at two processors a dequeue takes 10 ns
// less.
func (s *segmentSlot[T]) take() bool { return s.mark.CompareAndSwap(filled, taken) }

// await waits briefly for the item, and reports whether it came. If not, it has refused: the
// enqueuer will find that, and put its item elsewhere.
func (s *segmentSlot[T]) await() bool {
	var b backoff.Backoff
	for range patience {
		if s.mark.Load() == filled {
			return true
		}
		b.Retry()
	}
	return s.mark.Swap(refused) == filled
}

// item returns the address of the item that take or await found. The dequeuer copies it, and calls
// done.
func (s *segmentSlot[T]) item() *T {
	return s.value.ForRead()
}

// done drops the value and ends the use of the slot in this life.
func (s *segmentSlot[T]) done() {
	s.value.Clear()
	s.mark.Store(spent)
}
