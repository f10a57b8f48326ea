package queue

import (
	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/backoff"
)

// segmentSlot holds one item in each life of its segment, or none. One enqueuer and one dequeuer have claimed it; each changes
// the mark once, by an exchange that tells it whether the other one was there before.
//
//	           put                item … done
//	vacant ───────────→ filled ───────────────────→ spent       the item went through
//	  │ await                                         ↑
//	  └───────────────→ refused ──────────────────────┘          the dequeuer came first and lost patience: put takes the item
//	                              put                            back, and both try the next slot
//
// A dequeuer that lost patience does not touch the slot again, so spent means that both are through with it: the segment
// can be used again when all its slots are spent.
type segmentSlot[T any] struct {
	mark  atomics.Release[uint32]
	value atomics.Plain[T] // the enqueuer's until it has set filled, then the dequeuer's until it has set spent
}

// The values of a mark.
const (
	vacant uint32 = iota
	filled
	refused
	spent
)

// patience is how many times a dequeuer looks at its slot, with pauses in between, before it refuses it: for about as long as an
// enqueuer takes that is at work on another processor.
const patience = 4

// put gives the slot its item, and reports whether the dequeuer will find it; otherwise it did not wait.
func (s *segmentSlot[T]) put(v *T) bool {
	*s.value.ForWrite() = *v
	if s.mark.Swap(filled) == vacant {
		return true
	}
	s.done()
	return false
}

// hold gives the slot its item while nobody else knows of it.
func (s *segmentSlot[T]) hold(v *T) {
	*s.value.ForWrite() = *v
	s.mark.Store(filled)
}

// await waits for the item, but not long, and reports whether it is there; otherwise it never will be.
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

// item returns where the item is. The dequeuer copies it, and calls done.
func (s *segmentSlot[T]) item() *T {
	return s.value.ForRead()
}

// done drops the value and ends the use of the slot in this life.
func (s *segmentSlot[T]) done() {
	s.value.Clear()
	s.mark.Store(spent)
}
