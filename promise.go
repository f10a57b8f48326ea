package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// promised is a message whose sender holds a future. What the future refers to is in the message
// itself, so that a send allocates once.
//
// state is one word: open, with the list of the messages that wait for the promise, newest first;
// or one of the seals below. It works as the owner queue does (section 10 of the first paper):
//
//	The goroutine that seals the promise owns the list, and wakes all messages in it.
//	A message that comes later finds the seal, and need not wait.
//	A list that is only pushed to and taken whole has no ABA.
//
// Which goroutine may touch what:
//
//	value  The holder of the message writes it, before the seal filled. It is read after the seal.
//	edge   As value. A goroutine that revokes the message writes it, too: message_start.go.
//	state  Other goroutines than the holder set the seals abandoned and cycled, and write nothing
//	       else of the promise. A revoker writes its failure to edge, and then sets filled. A
//	       holder that comes later finds the seal, and drops its outcome.
type promised struct {
	message
	state atomics.Pointer[mailbox.Node]
	// edge says what the message waits for. It is one of four:
	//
	//	the future that it waits for, also across a bridge   promise_cycle.go
	//	a mark, that it has begun, or has not                message_start.go
	//	its failure, once the promise is filled              failureOf
	//	nil, for none of these
	edge atomics.RelaxedPointer[promised]
}

// failure is the error of a failed future. It stands in the place of an edge, and leads to no other
// promise.
type failure struct {
	promised
	err     error
	senders []string     // of the message that failed: scope_lineage.go
	dropped atomics.Bool // the revoker drops the message's argument: the holder must not
}

func newFailure(err error) *failure {
	f := &failure{err: err}
	f.state.Store(&filled)
	return f
}

// failureOf returns the failure behind an edge that leads nowhere.
func failureOf(edge *promised) *failure { return (*failure)(unsafe.Pointer(edge)) }

// failure returns the error of a filled promise, nil if it has a value.
func (m *promised) failure() error {
	if f := m.edge.Load(); f != nil {
		return failureOf(f).err
	}
	return nil
}

// The seals. A promise with one of them has an outcome, for good.
var (
	filled    mailbox.Node // the outcome is in value, or in edge, which is a failure
	abandoned mailbox.Node // the runtime was closed before there was an outcome
	cycled    mailbox.Node // the outcome would have had to wait for itself
)

func sealed(n *mailbox.Node) bool { return n == &filled || n == &abandoned || n == &cycled }

func (m *promised) open() bool { return !sealed(m.state.Load()) }

// seal closes the promise and wakes the messages that wait for it. It returns false if the promise
// was closed before.
func (m *promised) seal(w *worker, with *mailbox.Node) bool {
	for {
		waiting := m.state.Load()
		if sealed(waiting) {
			return false
		}
		if m.state.CompareAndSwap(waiting, with) {
			if waiting != nil {
				if w != nil && w.observed.Load() != 0 {
					w.traceFulfilled(m)
				}
				w.wake(waiting)
			}
			return true
		}
	}
}

// fill publishes the outcome that the caller, the holder of the message, has written to value. It
// returns false if the promise was sealed already.
func (m *promised) fill(w *worker) bool {
	if m.edge.Load() != nil {
		m.edge.Store(nil)
	}
	// The compare-and-swap fails if a message waits, or the promise is sealed.
	return m.state.CompareAndSwap(nil, &filled) || m.seal(w, &filled)
}

// fillFailed publishes err as the outcome, as fill does.
func (m *promised) fillFailed(w *worker, err error) bool {
	f := newFailure(err)
	if m.lineage.Load() != nil {
		f.senders = m.lineage.Load().chain()
	}
	m.edge.Store(&f.promised)
	return m.seal(w, &filled)
}

// notify has msg woken once the promise is closed. It returns false if the promise is closed
// already: then msg stays the caller's.
func (m *promised) notify(msg *message) bool {
	if m.foreign(msg) {
		m.doneChannel()
	}
	return m.push(msg)
}

// foreign reports whether m belongs to another runtime than msg. Then the caller of push calls
// m.done first, which makes m known to its runtime: the end of that runtime closes m
// (future_done.go).
func (m *promised) foreign(msg *message) bool { return m.unit != nil && m.unit.rt != msg.unit.rt }

// push is notify for an m that is not foreign to msg, or that m.done has made known to its runtime.
func (m *promised) push(msg *message) bool {
	for {
		waiting := m.state.Load()
		if sealed(waiting) {
			return false
		}
		msg.Link(waiting)
		if m.state.CompareAndSwap(waiting, &msg.Node) {
			if u := msg.unit; u != nil {
				u.rt.env.noteWait(msg, m)
			}
			return true
		}
	}
}

// outcome returns whether the promise is closed, and the error if it is closed with one.
func (m *promised) outcome() (closed bool, err error) {
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

// result is a promise and the value that its operation will return.
type result[R any] struct {
	_ scan.Target
	promised
	value R
}
