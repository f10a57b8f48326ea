package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// The events of a recording. The caller of each function has looked at worker.observed, or at
// Context.seen, before.
//
// A message is recorded as its address, and so is a unit. When an address comes to be another
// message's, the reader finds out: a message is sent before it is run, and run before it is sent
// again.

func address(m *message) uint64 { return uint64(uintptr(unsafe.Pointer(m))) }

// note records an event on the processor's tape, or on the one outside.
func (w *worker) note(k record.Kind, a, b uint64) {
	if w.processor != nil {
		if t := w.processor.Tape(); t != nil {
			t.Note(k, 0, false, a, b)
		}
		return
	}
	if r := w.rt.recording.Load(); r != nil {
		r.Outside.Note(k, 0, a, b)
	}
}

// add records an event that belongs to the one before it.
func (w *worker) add(k record.Kind, flag bool, a, b uint64) {
	if w.processor == nil {
		w.note(k, a, b)
	} else if t := w.processor.Tape(); t != nil {
		t.Add(k, flag, a, b)
	}
}

// operationOf returns the number of the operation of m, whose vtable is k.
func operationOf(t *record.Tape, k *vtable, m *message) uint16 {
	if k.code == nil {
		return k.number
	}
	return operationOfClosure(t, k, m)
}

func operationOfClosure(t *record.Tape, k *vtable, m *message) uint16 { return t.Code(k.code(m)) }

// recorded returns the address of the message or activity that runs with c if the recording has its
// begin, otherwise 0.
func (c *Context) recorded() uint64 {
	m := c.current
	if m != nil && (c.seen == uintptr(unsafe.Pointer(m)) || m.Kind == &slotVtable.Kind) {
		return uint64(c.seen)
	}
	return 0
}

// address returns the address that stands for the unit in recordings, 0 for no unit.
func (u *unit) address() uint64 {
	if u == nil || u == &u.rt.free {
		return 0
	}
	return uint64(uintptr(unsafe.Pointer(u)))
}

// isFirst reports whether the unit's first operation begins. Then an earlier unit at its address
// was another one.
func (u *unit) isFirst() bool { return u != &u.rt.free && u.operations.Load() == 1 }

// called returns the name of the unit, empty if it has none.
func (u *unit) called() string {
	x := u.ext.Load()
	switch {
	case x == nil:
		return ""
	case x.keyed() != nil:
		return x.keyed().name(u)
	}
	return x.has().name
}

// traceBegin records that an operation begins. For an activity it does nothing: see
// traceActivityIn.
func (w *worker) traceBegin(c *Context, k *vtable, m *message) {
	t := w.processor.Tape()
	if t == nil || k == slotVtable {
		return
	}
	c.seen = uintptr(unsafe.Pointer(m))
	u := m.unit
	if u == &w.rt.free {
		t.Note(record.Begin, operationOf(t, k, m), false, address(m), 0)
		if k.multiAt != 0 {
			w.traceParts(k.multi(m))
		}
		return
	}
	t.Note(record.Begin, operationOf(t, k, m), u.operations.Load() == 1, address(m), uint64(uintptr(unsafe.Pointer(u))))
	if name := u.called(); name != "" {
		t.Called(name)
	}
}

// traceParts records the units of a message to several units.
func (w *worker) traceParts(m *multi) {
	for i := range m.all() {
		u := m.all()[i].unit
		w.add(record.With, u.isFirst(), u.address(), 0)
		if name := u.called(); name != "" {
			if t := w.processor.Tape(); t != nil {
				t.Called(name)
			}
		}
	}
}

// traceEnd records that an operation has ended which had left its processor.
func (w *worker) traceEnd(c *Context) {
	if m := c.recorded(); m != 0 {
		w.note(record.End, m, 0)
	}
}

// traceSend records that a message is sent.
func (w *worker) traceSend(m *message) { w.noteMessage(record.Send, m.vtable(), m) }

// traceTimer records that a timer is set for m: to send m, an operation of vtable k, or to resolve
// it; or, if m is a repetition, to send its next message.
func (w *worker) traceTimer(k *vtable, m *message) {
	if w.observed.Load()&byRecorder != 0 {
		w.noteMessage(record.Timer, k, m.timed())
	}
}

// noteMessage records an event about m and its unit, with the operation of vtable k.
func (w *worker) noteMessage(kind record.Kind, k *vtable, m *message) {
	if w.processor == nil {
		if r := w.rt.recording.Load(); r != nil {
			t := r.Outside.Begin()
			t.Note(kind, operationOf(t, k, m), false, address(m), m.unit.address())
			r.Outside.End()
		}
		return
	}
	if t := w.processor.Tape(); t != nil {
		t.Note(kind, operationOf(t, k, m), false, address(m), m.unit.address())
	}
}

// traceFire records that the timer of m fires. The caller sends the message next.
func (w *worker) traceFire(m *message) {
	if w.observed.Load()&byRecorder != 0 {
		w.note(record.Fire, address(m), 0)
	}
}

// traceNeeds records the futures in the value at p, all of which msg needs.
func (w *worker) traceNeeds(msg *message, pl *scan.Plan, p unsafe.Pointer) {
	if w.observed.Load()&byRecorder != 0 {
		eachPromise(pl, p, func(m *promised) { w.traceNeed(msg, m) })
	}
}

// traceNeed records that msg needs the future of m, unless m belongs to no operation.
func (w *worker) traceNeed(msg *message, m *promised) {
	if m != known && m.unit != nil {
		w.add(record.Need, false, address(msg), address(&m.message))
	}
}

// traceReady records that a message has all that it waited for.
func (w *worker) traceReady(m *message) { w.add(record.Ready, false, address(m), 0) }

// traceFulfilled records that a promise has its outcome.
func (w *worker) traceFulfilled(m *promised) {
	if w.observed.Load()&byRecorder != 0 {
		w.note(record.Fulfilled, address(&m.message), 0)
	}
}

// traceSeen records that the calling goroutine has waited for m, if it is an ordinary one.
func (m *promised) traceSeen() {
	if m.unit == nil { // of no operation
		return
	}
	if w := &m.unit.rt.outside; w.observed.Load() != 0 && sched.CurrentHost() == nil && !m.Open() {
		w.note(record.Seen, address(&m.message), 0)
	}
}

// traceFound records that a goroutine of a timer has found that m has its outcome: what it does
// next follows from that.
func (w *worker) traceFound(m *promised) {
	if w.observed.Load()&byRecorder != 0 {
		w.note(record.Seen, address(&m.message), 0)
	}
}

// pauseTape records that the processor has nothing to run.
func (w *worker) pauseTape() { w.note(record.Pause, 0, 0) }

// traceBranch records that a stolen branch begins, and reports whether it did. nested says that the
// thief runs it while its own join waits.
func (w *worker) traceBranch(j *job, nested bool) bool {
	if w.processor == nil {
		return false
	}
	t := w.processor.Tape()
	if t == nil {
		return false
	}
	operation := j.kind.number
	if j.kind.name == "" {
		operation = t.Code(j.function)
	}
	t.Note(record.Branch, operation, nested, 0, 0)
	return true
}

func (w *worker) traceBranchEnd() {
	if w.processor != nil {
		w.note(record.BranchEnd, 0, 0)
	}
}

// traceOut records that what runs with c gives its processor away until it gets another one;
// traceIn, that it has one again.
func (w *worker) traceOut(c *Context) {
	if m := c.recorded(); m != 0 {
		w.note(record.Out, m, 0)
	}
}

func (w *worker) traceIn(c *Context) {
	if m := c.recorded(); m != 0 {
		w.note(record.In, m, 0)
	}
}

// traceLeave records that the operation leaves its processor to block; traceBack, that the blocking
// code has returned.
func (w *worker) traceLeave(c *Context) {
	if m := c.recorded(); m != 0 {
		w.note(record.Leave, m, uint64(goid.ID()))
		c.marks |= isAway
	}
}

func (c *Context) traceBack() {
	if m := c.recorded(); m != 0 {
		c.rt.outside.note(record.Back, m, 0)
	}
}

// addressOf returns the address that stands for an activity, which is recorded as a message.
func addressOf(a *activity.Activity) uint64 { return uint64(uintptr(unsafe.Pointer(a))) }

func operationOfActivity(t *record.Tape, a *activity.Activity) uint16 {
	if name := a.Name(); name != "" {
		return t.Title(name)
	}
	return t.Code(activities.Code(a))
}

// traceActivity records that an activity is started.
func (w *worker) traceActivity(a *activity.Activity) {
	if w.processor == nil {
		if r := w.rt.recording.Load(); r != nil {
			t := r.Outside.Begin()
			t.Note(record.Send, operationOfActivity(t, a), false, addressOf(a), 0)
			r.Outside.End()
		}
	} else if t := w.processor.Tape(); t != nil {
		t.Note(record.Send, operationOfActivity(t, a), false, addressOf(a), 0)
	}
}

// traceActivityIn records that an activity has come to run.
func (w *worker) traceActivityIn(c *Context, a *activity.Activity) {
	if t := w.processor.Tape(); t != nil {
		t.Note(record.In, operationOfActivity(t, a), false, addressOf(a), 0)
		c.seen = uintptr(addressOf(a))
	}
}
