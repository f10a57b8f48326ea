package queue

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     the run queue of Go's scheduler (runtime/proc.go, runqput, runqget, runqgrab), after
//             D. Vyukov's design. Ours: the numbers that a thief takes are at no time out of sight.
//             The thief's compare-and-swap leaves a mark in the head of the victim's ring, and
//             every call that meets the mark moves the tail of the thief's ring for it: helping, as
//             in M. Michael and M. Scott, Simple, fast, and practical non-blocking and blocking
//             concurrent queue algorithms, PODC 1996.
// Sketch:     put:   slot[tail] = number; tail++
//             take:  h = head; marked? help;  read slots from h on; CAS(head: h→h+n)
//             steal: h = head; marked? help;  copy half of the slots but the first to behind the
//                    thief's tail; its stealBase = its tail
//                    CAS(head: h→h+n, marked with n-1 and the thief); help
//                    the first is the thief's at once
//             help:  t = stealBase of the marked thief; head unchanged?
//                    CAS(its tail: t→t+n); CAS(head: mark→no mark)
// Invariants: I1 The numbers in [head, tail) of all rings, and the n of each mark, are different
//                from each other.
//             I2 A ring has as many slots as there are numbers, so there is always room.
//             I3 Slots are written by one goroutine, behind the tail.
//             I4 A thief changes stealBase only while no ring is marked with it.
// Progress:   put is wait-free; take, steal and help are lock-free: a compare-and-swap fails
//             because another call took numbers, or helped. A thief that stalls after its
//             compare-and-swap is helped; before it the steal has not happened.
// Linearize:  put at the store of tail (L1); take (L2) and steal (L3) at their CAS; empty where
//             tail is read (L4)
// Publish:    slots before tail or before L3; a slot that is overwritten while a call reads it was
//             taken, so that call's CAS fails
// ABA/memory: positions count in 32 bits: a call that takes or helps would have to sleep through
//             2^32 items of one ring between two of its steps
// Cost:       one store to put any number, one CAS to take any number, three CAS and a store to
//             steal more than one
// Checked by: TestFanOut…, TestExploreFanOut…

// stealRing is a ring of numbers. One goroutine puts them in at the back, any goroutine takes them
// from the front, and a thief moves half of them at once to the back of its own ring. All rings of
// a queue are for the same numbers, each of which is in one ring at most.
type stealRing struct {
	_         pad.Line
	head      atomics.Uint64 // a stealHead
	_         pad.Line
	tail      atomics.Uint32
	stealBase atomics.Uint32 // what tail was when the last steal into this ring began
	slots     []atomics.RelaxedIndex
	_         pad.Line
}

// stealHead is a position and a mark. The mark says that count numbers in front of the position
// belong to the stolen ring of a thief, whose tail may not say so yet.
type stealHead uint64

const maxSteal = 1 << 15

func newStealHead(at uint32, count uint32, thief uint16) stealHead {
	return stealHead(at) | stealHead(count)<<32 | stealHead(thief)<<48
}

func (h stealHead) at() uint32    { return uint32(h) }
func (h stealHead) count() uint32 { return uint32(h>>32) & 0xffff }
func (h stealHead) thief() uint16 { return uint16(h >> 48) }
func (h stealHead) marked() bool  { return h>>32 != 0 }

// fanOutLanes are the lanes of a queue. The thief of a lane is its place in the list, from 1 on.
// Lanes are only added.
type fanOutLanes struct {
	list atomics.Pointer[[]*fanOutLane]
}

// stolenOf returns the ring into which a thief steals.
func (l *fanOutLanes) stolenOf(thief uint16) *stealRing { return &(*l.list.Load())[thief-1].stolen }

// init makes room for room numbers, a power of two. The first will be at position start.
func (s *stealRing) init(room int, start uint32) {
	s.slots = make([]atomics.RelaxedIndex, room)
	s.head.Store(uint64(newStealHead(start, 0, 0)))
	s.tail.Store(start)
}

func (s *stealRing) slot(at uint32) *atomics.RelaxedIndex {
	return &s.slots[at&uint32(len(s.slots)-1)]
}

// put adds numbers at the back. Only by the one goroutine that fills the ring, and not for a ring
// into which a thief steals.
func (s *stealRing) put(numbers []uint32) {
	t := s.tail.Load()
	for i, n := range numbers {
		s.slot(t + uint32(i)).Store(uintptr(n))
	}
	s.tail.Store(t + uint32(len(numbers))) // L1
}

// front returns the head, without a mark, and how many numbers were there at some instant; 0 means
// that there were none at one instant.
func (s *stealRing) front(lanes *fanOutLanes) (h stealHead, n uint32) {
	for {
		h = stealHead(s.head.Load())
		if h.marked() {
			s.help(h, lanes)
			continue
		}
		if n = s.tail.Load() - h.at(); n <= uint32(len(s.slots)) { // L4
			return h, n
		} // else head was read long before tail
	}
}

// take removes numbers from the front, at most len(dst), and returns how many; 0 means that there
// were none. Any goroutine.
func (s *stealRing) take(dst []uint32, lanes *fanOutLanes) int {
	for {
		h, n := s.front(lanes)
		if n = min(n, uint32(len(dst))); n == 0 {
			return 0
		}
		for i := range n {
			dst[i] = uint32(s.slot(h.at() + i).Load())
		}
		if s.head.CompareAndSwap(uint64(h), uint64(newStealHead(h.at()+n, 0, 0))) { // L2
			return int(n)
		}
	}
}

// stealFor takes half of the numbers of s, rounded up, at most maxSteal: the first one into dst,
// the others to the back of the stolen ring of the thief, which calls it and has none left. It
// returns how many there are in dst; 0 means that there was nothing. So each steal that succeeds
// takes an item: otherwise thieves could steal from each other for ever, and none would return an
// item.
func (s *stealRing) stealFor(dst []uint32, thief uint16, lanes *fanOutLanes) int {
	stolen := lanes.stolenOf(thief)
	for {
		h, n := s.front(lanes)
		if n = min(n-n/2, maxSteal); n == 0 {
			return 0
		}
		first, rest := uint32(s.slot(h.at()).Load()), n-1
		t := stolen.tail.Load()
		for i := range rest {
			stolen.slot(t + i).Store(s.slot(h.at() + 1 + i).Load())
		}
		after := newStealHead(h.at()+n, 0, 0)
		if rest > 0 {
			stolen.stealBase.Store(t)
			after = newStealHead(h.at()+n, rest, thief)
		}
		if s.head.CompareAndSwap(uint64(h), uint64(after)) { // L3
			if rest > 0 {
				s.help(after, lanes)
			}
			dst[0] = first
			return 1
		}
	}
}

// help finishes the steal that a head is marked with.
func (s *stealRing) help(h stealHead, lanes *fanOutLanes) {
	own := lanes.stolenOf(h.thief())
	t := own.stealBase.Load()
	if s.head.Load() != uint64(h) {
		return // finished, and stealBase may be of a later steal
	}
	own.tail.CompareAndSwap(t, t+h.count())
	s.head.CompareAndSwap(uint64(h), uint64(newStealHead(h.at(), 0, 0)))
}

// len returns how many numbers there are: a snapshot.
func (s *stealRing) len() int {
	h := stealHead(s.head.Load())
	return int(min(s.tail.Load()-h.at(), uint32(len(s.slots))))
}
