package sched

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Source:     the runnext of Go's scheduler and the LIFO slot of Tokio's; the form is that of a
//             ring with one place
// Sketch:     put:          task = t; word = next number | full
//             take, steal:  t = task; CAS(word: full → empty)
// Invariants: I1 Only the owner writes task, and only while word says empty.
//             I2 Each put has its own number.
// Progress:   put, take and steal are wait-free: a failed CAS means that the other side took the
//             task
// Linearize:  put at its store, take and steal at their CAS
// Publish:    task is written before word. A thief that reads task while the owner overwrites it
//             holds an old number, so its CAS fails.
// ABA/memory: numbers have 31 bits: a thief would have to sleep through 2^31 puts between its two
//             loads. The owner's next call drops the reference to a stolen task.
// Cost:       one atomic store per put, one CAS per take. The word lies beside the pointer, because
//             atomic operations on pointers compile to calls (the collector's write barrier), not
//             to instructions.
// Checked by: TestSlot…

// slot holds at most one task. Its owner puts and takes; any goroutine steals.
type slot struct {
	word atomics.Uint32 // number<<1 | full
	task atomics.RelaxedPointer[Task]
}

const slotFull = 1

// put stores t and returns the task that it displaces, nil if the slot was empty. Owner only.
func (s *slot) put(t *Task) (displaced *Task) {
	displaced = s.take()
	w := s.word.Load()
	s.task.Store(t)
	s.word.Store((w + 2) | slotFull)
	return displaced
}

// take removes and returns the task; nil if the slot is empty. Owner only.
func (s *slot) take() *Task {
	t := s.steal()
	s.task.Store(nil)
	return t
}

// steal removes and returns the task; nil if the slot is empty or the task was taken meanwhile.
// Any goroutine.
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

// forget drops the reference to a stolen task. Owner only.
func (s *slot) forget() {
	if !s.filled() {
		s.task.Store(nil)
	}
}

// filled reports whether the slot held a task at some instant of the call. Any goroutine.
func (s *slot) filled() bool { return s.word.Load()&slotFull != 0 }

// stealIf is steal for a task that accept agrees to; see [Processor.StealOffered].
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
