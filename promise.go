package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// message is a letter whose sender holds a future: the future's cell is in it, so that a send allocates once.
//
// The cell's state is one word: open, with the list of the letters that wait for it, newest first; or one of the seals below.
// It is the owner queue once more (section 10 of the first paper): whoever seals it owns the list, and wakes all who are
// in it; whoever comes later finds the seal and need not wait. A list that is only pushed to and taken whole has no ABA.
//
// Who may touch what: value and edge are written by whoever holds the letter, before the seal filled, and value is read after
// it. The seals abandoned and cycled are set by others, who write nothing else, so that a holder who is late
// only finds that its outcome is not wanted any more.
type promise struct {
	message
	state atomics.Pointer[mailbox.Node]
	// edge is the future that this one waits for now (see promise_cycle.go); once filled, the failure if there is one.
	edge atomics.RelaxedPointer[promise]
}

// failure is the error of a failed future. It is found where an edge would be, and leads nowhere.
type failure struct {
	promise
	err     error
	senders []string     // of the message that failed; see scope_lineage.go
	dropped atomics.Bool // whoever has revoked the message drops its argument
}

func newFailure(err error) *failure {
	f := &failure{err: err}
	f.state.Store(&filled)
	return f
}

// failureOf returns the failure that an edge is which leads nowhere.
func failureOf(edge *promise) *failure { return (*failure)(unsafe.Pointer(edge)) }

// failure returns the error of a filled cell, nil if it has a value.
func (m *promise) failure() error {
	if f := m.edge.Load(); f != nil {
		return failureOf(f).err
	}
	return nil
}

// The seals.
var (
	filled    mailbox.Node // the outcome is in value and failure
	abandoned mailbox.Node // the runtime was closed before there was an outcome
	cycled    mailbox.Node // the outcome would have had to wait for itself
)

func sealed(n *mailbox.Node) bool { return n == &filled || n == &abandoned || n == &cycled }

func (m *promise) open() bool { return !sealed(m.state.Load()) }

// seal closes the cell and wakes those who wait; false if it was closed before.
func (m *promise) seal(s *worker, with *mailbox.Node) bool {
	for {
		waiting := m.state.Load()
		if sealed(waiting) {
			return false
		}
		if m.state.CompareAndSwap(waiting, with) {
			if waiting != nil {
				if s != nil && s.observed.Load() != 0 {
					s.traceFulfilled(m)
				}
				s.wake(waiting)
			}
			return true
		}
	}
}

// fill publishes the outcome that the caller, who holds the letter, has written to value.
// It returns false if the cell was sealed already.
func (m *promise) fill(s *worker) bool {
	if m.edge.Load() != nil {
		m.edge.Store(nil)
	}
	return m.state.CompareAndSwap(nil, &filled) || m.seal(s, &filled) // in vain if somebody waits, or it is sealed
}

// fillFailed publishes err as the outcome, as fill does.
func (m *promise) fillFailed(s *worker, err error) bool {
	f := newFailure(err)
	if m.lineage.Load() != nil {
		f.senders = m.lineage.Load().chain()
	}
	m.edge.Store(&f.promise)
	return m.seal(s, &filled)
}

// notify has l woken once the cell is closed; false if it is closed already, and l stays the caller's.
func (m *promise) notify(l *message) bool {
	if m.foreign(l) {
		m.done()
	}
	return m.push(l)
}

// foreign reports whether m belongs to another runtime than l. Then the caller of push calls m.done
// first, which makes m known to its runtime: the end of that runtime closes m (future_done.go).
func (m *promise) foreign(l *message) bool { return m.unit != nil && m.unit.rt != l.unit.rt }

// push is notify where the end of m's runtime is known to close m, if that is another one than l's.
func (m *promise) push(l *message) bool {
	for {
		waiting := m.state.Load()
		if sealed(waiting) {
			return false
		}
		l.Link(waiting)
		if m.state.CompareAndSwap(waiting, &l.Node) {
			if u := l.unit; u != nil && u.rt.deterministic() {
				u.rt.notePending(l, m)
			}
			return true
		}
	}
}

// outcome returns whether the cell is closed, and the error if it is closed with one.
func (m *promise) outcome() (closed bool, err error) {
	switch m.state.Load() {
	case &filled:
		return true, m.failure()
	case &abandoned:
		return true, ErrClosed
	case &cycled:
		return true, ErrCycle
	}
	return false, nil
}

// result is a message and the value that its operation will return.
type result[R any] struct {
	promise
	value R
}
