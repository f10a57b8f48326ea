package timerwheel

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Source:     G. Varghese and A. Lauck, Hashed and hierarchical timing wheels, SOSP 1987, scheme 7.
//             Ours: a slot knows the soonest instant in it. So the wheel is turned when a timer is
//             due, not once a tick, and a timer is not rounded to its slot.
// Sketch:     level 0: 64 slots of 65 µs;  level 1: 64 of 4.2 ms;  …  level 7: of 9 years
//             Add:      the level is that of the highest digit (6 bits) in which the timer's tick
//                       differs from the wheel's own
//             Advance:  empty each slot whose soonest is not after now; due timers come out, the
//                       others are added again
// Invariants: I1 at never goes back, and no timer in a slot has a tick below at, but for timers
//             that were due when they were added: they count as timers of tick at.
//             I2 A timer in a slot of level n has the same digits above n as at, and its digit n is
//                the number of the slot.
//                Hence the first slot in use of a level has the level's soonest timer.
//             I3 soonest is not after any timer in the slot.
//             NOT invariant: that the timer with the soonest instant is still in the slot; that a
//             timer of level n is due before those of level n+1.
// Cost:       Add and Remove take a few instructions and touch the two neighbours in the slot. A
//             timer is moved at most once for each level, when a slot of that level is emptied.
// Checked by: TestTimerSlots…

const (
	tickBits   = 16 // a tick is 65,536 ns
	digitBits  = 6
	digits     = 1 << digitBits
	slotLevels = 8 // 48 bits of ticks: all instants
	// Never is an instant that does not come.
	Never = math.MaxInt64
	out   = 0 // Entry.slot of a timer in no slot; slots are counted from 1
)

// Slots is a hierarchical timing wheel: timers roughly in the order in which they are due.
// Instants are nanoseconds since the wheel was made. One goroutine at a time uses it; the zero
// value is empty, at instant 0.
type Slots struct {
	at    int64              // the tick below which no timer is left
	used  [slotLevels]uint64 // for each level, a bit for each slot that is not empty
	slots [slotLevels * digits]slotList
}

// slotList is a list of timers, in the order in which they were added.
type slotList struct {
	first, last *Entry
	soonest     int64
}

// Add puts in t, which is in no slot.
func (w *Slots) Add(t *Entry) {
	tick := max(t.When>>tickBits, w.at)
	level := 0
	if apart := uint64(tick ^ w.at); apart >= digits {
		level = (bits.Len64(apart) - 1) / digitBits
	}
	digit := tick >> (level * digitBits) & (digits - 1)
	i := level*digits + int(digit)
	s := &w.slots[i]
	t.slot = uint16(i + 1)
	if t.previous = s.last; s.last == nil {
		s.first, s.soonest = t, t.When
		w.used[level] |= 1 << digit
	} else {
		s.last.next = t
		s.soonest = min(s.soonest, t.When)
	}
	s.last = t
}

// Remove takes t out, if it is in a slot.
func (w *Slots) Remove(t *Entry) {
	if t.slot == out {
		return
	}
	i := int(t.slot - 1)
	s := &w.slots[i]
	if t.previous == nil {
		s.first = t.next
	} else {
		t.previous.next = t.next
	}
	if t.next == nil {
		s.last = t.previous
	} else {
		t.next.previous = t.previous
	}
	if s.first == nil {
		w.used[i/digits] &^= 1 << (i % digits)
	}
	t.next, t.previous, t.slot = nil, nil, out
}

// Empty reports whether no timer is in a slot.
func (w *Slots) Empty() bool { return w.used == [slotLevels]uint64{} }

// Next returns an instant before which no timer is due, and at which one may be. It returns
// Never if there is no timer.
func (w *Slots) Next() int64 {
	soonest := int64(Never)
	for level, used := range w.used {
		if used != 0 {
			soonest = min(soonest, w.slots[level*digits+bits.TrailingZeros64(used)].soonest)
		}
	}
	return soonest
}

// Advance takes out the timers that are due at now, and appends them to due, soonest first. Timers
// of one instant come in any order.
func (w *Slots) Advance(now int64, due []*Entry) []*Entry {
	var first, last *Entry // the timers of the emptied slots, linked by next
	for level := range w.used {
		for w.used[level] != 0 {
			digit := bits.TrailingZeros64(w.used[level])
			s := &w.slots[level*digits+digit]
			if s.soonest > now {
				break
			}
			if first == nil {
				first = s.first
			} else {
				last.next = s.first
			}
			last = s.last
			*s = slotList{}
			w.used[level] &^= 1 << digit
		}
	}
	w.at = max(w.at, now>>tickBits)
	for t := first; t != nil; {
		behind := t.next
		t.next, t.previous, t.slot = nil, nil, out
		if t.When <= now {
			due = append(due, t)
		} else {
			w.Add(t)
		}
		t = behind
	}
	if !slices.IsSortedFunc(due, sooner) { // most often one timer is due, or all at one instant
		slices.SortStableFunc(due, sooner)
	}
	return due
}

func sooner(a, b *Entry) int { return cmp.Compare(a.When, b.When) }

// TakeAll takes out all timers, and appends them to all.
func (w *Slots) TakeAll(all []*Entry) []*Entry {
	for level := range w.used {
		for ; w.used[level] != 0; w.used[level] &= w.used[level] - 1 {
			s := &w.slots[level*digits+bits.TrailingZeros64(w.used[level])]
			for t := s.first; t != nil; {
				behind := t.next
				t.next, t.previous, t.slot = nil, nil, out
				all = append(all, t)
				t = behind
			}
			*s = slotList{}
		}
	}
	return all
}
