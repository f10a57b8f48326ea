package freerun

import (
	"math"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/timerwheel"
)

// Ended is the value of the future of [Watch]: how a unit has ended.
type Ended struct {
	// Err is the error with which messages to the unit fail from now on, a [*StoppedError]. For a
	// unit of a [Kind] that is passive now, and will become active again, it is nil, or the error
	// that its last operation or activation ended with: a [*PanicError], an [*ActivationError], or
	// an [ErrFull] of [MaxActive].
	Err error
}

// Watch returns a future of the unit's end: by [Stop], by a panic, with [StopOnPanic] or when its
// restarts are used up. For a unit of a [Kind] it is also the moment at which the
// unit becomes passive. A restart by [RestartOnPanic] is no end. Of a unit that is stopped, or
// passive, the future has its value at once, which tells why.
//
// The watch begins in the unit's turn, after what was sent to it before. It ends with its scope:
// the future fails with [ErrCanceled] when c's scope is canceled, with [ErrClosed] when a Shutdown
// or Close begins, and with [ErrOtherRuntime] if u is of another runtime. Neither [Scope.Wait] nor
// [Runtime.Quiesce] waits for it. A watch keeps the unit from being collected, and the unit keeps
// the watch until either ends. Any goroutine may call Watch, operations too; it does not wait. Two
// allocations. It panics if c or u is nil.
func Watch[S any](c *Context, u *Unit[S]) Future[Ended] {
	return Future[Ended]{cell: &u.checked().watch(c.checked()).result}
}

// watch is the future of a unit's end. Its timer is armed for no instant: it ends by Timer.end
// alone, so that the unit, the scope and the end of the runtime decide by one step which of them
// was first (T4 of timer.go).
type watch struct {
	result result[Ended] // must be first
	timer  Timer
	of     *unit // the unit that it watches
}

// watchGate is the edge of watches: they wait for the activation of their unit, if it lies still.
var watchGate = newGate(0, unsafe.Offsetof(watch{}.of))

// watchVtable is set in init: it leads to functions that lead to it.
var watchVtable *vtable

func init() {
	beginWatch.core.told.harmless = true
	watchVtable = newVtable(vtable{identity: identity{name: "freerun.Watch"}, unsent: endWatch}, nil)
}

// watch begins a watch.
func (u *unit) watch(c *Context) *watch {
	x := &watch{timer: Timer{wheel: c.rt.wheel(), scope: c.Scope(), dormant: true}, of: u}
	m := &x.result.promised
	m.SetEdge(watchGate)
	m.unit = &c.rt.free
	m.become(watchVtable)
	x.timer.target = &m.message
	w := c.here()
	if err := w.refuses(u); err != nil {
		x.refuse(w, u.naming(err, func() string { return watchVtable.name }))
		return x
	}
	x.timer.begin(w, watchVtable, math.MaxInt64)
	if !m.Open() {
		return x // the scope was canceled, or the runtime ends
	}
	if err := tellTo(beginWatch, c, u, x); err != nil {
		x.timer.end(promise.NewFailure(err))
	}
	return x
}

// refuse fails a watch that has not begun.
func (x *watch) refuse(w *worker, err error) {
	x.timer.scope, x.timer.target = nil, nil
	x.timer.entry.State.Store(timerwheel.Stopped)
	x.result.promised.fillFailed(w, err)
}

// beginWatch takes a watch to its unit.
var beginWatch = lifeOperation("unit.watch", func(_ *Context, u *unit, x *watch) (struct{}, error) {
	e := u.extend()
	of := e.keyed()
	switch {
	case e.isStopped():
		x.end(Ended{Err: e.stopped()})
	case of == nil || of.is(active):
		e.withLife().add(x)
	default:
		x.end(Ended{Err: of.endedBy()})
		e.settings.home.kind.release(u) // it may never have been active
	}
	return struct{}{}, nil
})

// add puts a watch into the list. Watches whose scopes were canceled leave it now and then, so that
// a unit which lives for long keeps no more than twice those that have not ended.
func (l *unitLife) add(x *watch) {
	if len(l.watches) >= l.prune {
		l.watches = slices.DeleteFunc(l.watches, func(x *watch) bool { return !x.result.promised.Open() })
		l.prune = max(2*len(l.watches), leastPruned)
	}
	l.watches = append(l.watches, x)
}

const leastPruned = 16

// tellWatches ends the watches of the unit, and tells those that wait for room if it is stopped.
// Owner only.
func (x *unitExt) tellWatches(e Ended) {
	x.roomEnds(e.Err)
	l := x.life.Load()
	if l == nil || l.watches == nil {
		return
	}
	all := l.watches
	l.watches, l.prune = nil, 0
	for _, watch := range all {
		watch.end(e)
	}
}

// endOf is the failure by which a timer ends that is a watch whose unit has ended.
type endOf struct{ Ended }

func (endOf) Error() string { return "freerun: the unit has ended" }

// end resolves the watch, unless its scope was canceled, or the runtime ends.
func (x *watch) end(e Ended) { x.timer.end(promise.NewFailure(endOf{e})) }

// stop ends the watch as that of a scope that is canceled, unless it has ended. Any goroutine.
func (x *watch) stop() { x.timer.end(stoppedTimer) }

// endWatch gives a watch its outcome. The caller has stopped its timer.
func endWatch(w *worker, msg *message, why *promise.Failure) {
	x := (*watch)(unsafe.Pointer(msg))
	if e, ended := why.Err.(endOf); ended {
		x.result.value, why = e.Ended, nil
	}
	x.result.promised.endUnsent(w, why)
}
