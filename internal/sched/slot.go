package sched

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Source:     the runnext of Go's scheduler and the LIFO slot of Tokio's; the form is that of a ring with one place
// Sketch:     put:  task = t; word = next number | full        take, steal: t = task; CAS(word: full → empty)
// Invariants: I1 only the owner writes task, and only while word says empty. I2 each put has a number of its own.
// Progress:   put, take and steal are wait-free: a failed CAS means that the other side took the task
// Linearize:  put at its store, take and steal at their CAS
// Publish:    task before word; a thief that reads task while the owner overwrites it holds an old number, so its CAS fails
// ABA/memory: numbers count in 31 bits: a thief would have to sleep through 2^31 puts between its two loads. A task that
//             was stolen is retained until the owner's next call.
// Cost:       one atomic store to put, one CAS to take. A word of its own beside the pointer, because atomic operations on
//             pointers are not compiled to instructions but to calls, for the collector's sake.
// Checked by: TestSlot…

// slot is a place for one task: its owner puts and takes, anybody steals.
type slot struct {
	word atomics.Uint32 // number<<1 | full
	task atomics.RelaxedPointer[Task]
}

const slotFull = 1

// put places t, and returns the task that was there, nil if there was none. Owner only.
func (s *slot) put(t *Task) (displaced *Task) {
	displaced = s.take()
	w := s.word.Load()
	s.task.Store(t)
	s.word.Store((w + 2) | slotFull)
	return displaced
}

// take removes the task; nil if there is none. Owner only.
func (s *slot) take() *Task {
	t := s.steal()
	s.task.Store(nil)
	return t
}

// steal removes the task; nil if there is none. Any goroutine.
func (s *slot) steal() *Task {
	w := s.word.Load()
	if w&slotFull == 0 {
		return nil
	}
	t := s.task.Load()
	if !s.word.CompareAndSwap(w, w&^slotFull) {
		return nil
	}
	return t
}

// forget drops the reference to a task that was stolen. Owner only.
func (s *slot) forget() {
	if !s.filled() {
		s.task.Store(nil)
	}
}

// filled reports whether there was a task at some instant of the call. Any goroutine.
func (s *slot) filled() bool { return s.word.Load()&slotFull != 0 }

// stealIf is steal for a task that is accepted.
func (s *slot) stealIf(accept func(t *Task) bool) *Task {
	w := s.word.Load()
	if w&slotFull == 0 {
		return nil
	}
	t := s.task.Load()
	if t == nil || !accept(t) || !s.word.CompareAndSwap(w, w&^slotFull) {
		return nil
	}
	return t
}
