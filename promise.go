package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/scan"
)

// promised is a message whose sender holds a future. The cell that the future refers to is in the
// message itself, so that a send allocates once. internal/promise has the cell: who may touch it,
// and when.
//
// The value of the outcome lies behind the cell: see result. The holder of the message writes it
// before it fills the cell. It is read after that.
type promised struct {
	message
	promise.Cell
}

// result is a promised message and the value that its operation will return.
type result[R any] struct {
	_        scan.Target
	promised promised
	value    R
}

func resultOf[R any](m *promised) *result[R] { return (*result[R])(unsafe.Pointer(m)) }

// promisedOf returns the message that a cell lies in. The cell must not be that of a
// [promise.Failure], which lies in no message.
func promisedOf(c *promise.Cell) *promised {
	return (*promised)(unsafe.Add(unsafe.Pointer(c), -int(unsafe.Offsetof(promised{}.Cell))))
}

// seal closes the promise with one of the seals of package promise, and wakes the messages that
// wait for it. It returns false if the promise was closed before.
func (m *promised) seal(w *worker, with *mailbox.Node) bool {
	waited, won := m.Seal(with)
	if waited != nil {
		if w.observed.Load() != 0 {
			w.traceFulfilled(m)
		}
		if w == &w.rt.outside { // many goroutines share it, and wake is for one
			w = w.rt.borrowWorker()
			w.wake(waited)
			w.giveBack()
			return won
		}
		w.wake(waited)
	}
	return won
}

// fill publishes the outcome that the caller, the holder of the message, has written to value. It
// returns false if the promise was closed before.
func (m *promised) fill(w *worker) bool {
	m.Clear()
	return m.TryFill() || m.seal(w, &promise.Filled)
}

// fillFailed publishes err as the outcome, as fill does.
func (m *promised) fillFailed(w *worker, err error) bool {
	f := promise.NewFailure(err)
	if m.lineage.Load() != nil {
		f.Senders = m.lineage.Load().chain()
	}
	m.Fail(f)
	return m.seal(w, &promise.Filled)
}

// notify has msg woken once the promise is closed. It returns false if the promise is closed
// already: then msg stays the caller's.
func (m *promised) notify(msg *message) bool {
	if m.foreign(msg) {
		m.doneChannel()
	}
	return m.push(msg)
}

// foreign reports whether m belongs to another runtime than msg. If so, the caller of push first
// calls m.doneChannel. That makes m known to its own runtime, which closes m at its end
// (future_audience.go).
func (m *promised) foreign(msg *message) bool { return m.unit != nil && m.unit.rt != msg.unit.rt }

// push is notify for an m that is not foreign to msg, or that m.doneChannel has made known to its
// runtime.
func (m *promised) push(msg *message) bool {
	u := msg.unit // read here: once it is in the list, msg is the waker's
	if !m.Push(&msg.Node) {
		return false
	}
	if u != nil {
		u.rt.env.noteWait(msg, m)
	}
	return true
}

// await makes m wait for dep. unshared: no other goroutine knows m's future yet.
func (m *promised) await(w *worker, dep *promised, unshared bool) promise.Waiting {
	if !m.revocable() { // lead's first case, without a call: most messages
		m.SetEdge(&dep.Cell) // C1 of internal/promise/cycle.go
	} else if !m.Lead(&dep.Cell, unshared) { // C1
		return promise.Revoked
	}
	return m.follow(w, dep, unshared)
}

// follow is await for a message whose edge leads to dep already. If m would wait for itself, follow
// seals it and returns InCycle. If another goroutine has sealed it before, the result is Waits: the
// message belongs to the goroutine that wakes it.
func (m *promised) follow(w *worker, dep *promised, unshared bool) promise.Waiting {
	if dep.foreign(&m.message) {
		dep.doneChannel()
	}
	got := m.Follow(&dep.Cell, &m.Node, unshared) // C2, C3
	if got == promise.Resolved {
		return got
	}
	m.unit.rt.env.noteWait(&m.message, dep)
	if got == promise.InCycle && !m.seal(w, &promise.Circular) {
		return promise.Waits
	}
	return got
}

// finish counts the message as run, and publishes its outcome: err, or the value. The count comes
// first, so that a goroutine that sees the outcome sees it counted. It is taken back if another
// goroutine had sealed the promise, and counted it.
func (m *promised) finish(w *worker, err error) {
	w.countRan(m.unit.rt, 1)
	won := false
	if err != nil {
		m.blameRan(w, err)
		won = m.fillFailed(w, err)
	} else {
		won = m.fill(w)
	}
	if !won {
		w.countRan(m.unit.rt, minusOne)
	} else if o := m.lineage.Load(); o != nil {
		m.leave(w)
		o.ended(w)
	}
}

// owe makes m, which has run, wait for dep.
func (m *promised) owe(on *worker, dep *promised) promise.Waiting {
	edge := &dep.Cell
	if m.revocable() {
		edge = promise.Bridge(edge)
	}
	m.SetEdge(edge)
	w := m.follow(on, dep, false)
	if w == promise.InCycle {
		on.countRan(m.unit.rt, 1)
		m.closedAsCycle(on, m.vtable())
		m.lineage.Load().ended(on)
	}
	return w
}

// resolve settles a message whose outcome comes from outside, and which the caller alone has taken:
// a [Promise], or one that is elsewhere (route.go). It reports whether the outcome is what it was
// given.
//
// The caller is on no processor, so the counts alone tell that it is at work. Therefore a promise
// is counted as done last, after what waits for it was queued: so whoever finds all done has not
// overtaken it. And it counts as a timer that fires: the end of the runtime waits for it.
func resolve[A, R any](o *operation[A, R], m *promised, v R, err error) bool {
	rt := m.unit.rt
	rt.firing.Add(1)
	defer rt.fired()
	if !o.core.resolves(m) {
		return false
	}
	if err == nil {
		resultOf[R](m).value = v
	}
	return o.core.settleLate(&rt.outside, m, err, nil)
}

// resolves claims m for its resolver. It returns false, and ends m, if m does not get the outcome.
func (o *core) resolves(m *promised) bool {
	rt := m.unit.rt
	if !m.claimFailing() { // S3: a canceler that comes later waits for the few steps to the seal
		o.dropRevoked(m)
		return false
	}
	w, from := &rt.outside, m.lineage.Load()
	a := from.keyOf().account()
	if a != nil {
		w.credit.Begin(a) // as for an operation that begins
	}
	if rt.phase.Load() >= aborting || m.canceled() != nil {
		o.endFailedSend(w, m, m.refusal())
		if a != nil {
			w.credit.End(a)
		}
		return false
	}
	if !o.sent.outside { // that of a Promise is its maker's name
		o.dropArgument(&m.message)
	}
	return true
}

// settleLate is settle for a message that counts as running, and is not what runs on w: that is the
// worker of a processor where another operation runs, or that of ordinary goroutines. It reports
// whether the outcome is what it was given.
func (o *core) settleLate(w *worker, m *promised, err error, forwarded any) bool {
	from := m.lineage.Load()
	switch {
	case forwarded != nil || err == nil && o.resultPlan != nil:
		o.settle(w, m, err, forwarded)
	case err != nil:
		m.blameRan(w, err)
		m.wasResolved(w, from, m.fillFailed(w, err))
	default:
		w.traceFulfilled(m)
		m.wasResolved(w, from, m.fill(w))
	}
	return !m.abandoned()
}

// wasResolved takes a promise of lineage from out of its scope, and counts it as run, if it was
// filled. If not, the end of the runtime has counted it.
func (m *promised) wasResolved(w *worker, from *lineage, filled bool) {
	if filled {
		m.leave(w)
		from.ended(w)
		w.countRan(m.unit.rt, 1)
	}
}

// abandoned reports whether the runtime has ended before m had an outcome.
func (m *promised) abandoned() bool {
	_, err := m.Outcome()
	return err == ErrClosed && m.Failure() == nil
}
