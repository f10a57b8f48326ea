package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/scan"
)

// A plan of internal/scan finds the targets of the futures in a value. The target of a future is a
// result, which begins with its promise.

// promiseAt returns the promise of the future whose pointer to a target lies at p; nil for a zero
// future.
func promiseAt(p unsafe.Pointer) *promised { return *(**promised)(p) }

// firstOpen looks at the futures in the value at p. At the first that has no outcome it returns
// that future; at the first that has failed it returns the error. It returns neither if all have
// results. Zero futures have nothing to wait for.
func firstOpen(pl *scan.Plan, p unsafe.Pointer) (*promised, error) {
	if pl.InSight() { // Find, written out
		for _, at := range pl.Offsets {
			m := promiseAt(unsafe.Add(p, at))
			if m == nil || m.HasValue() {
				continue
			}
			if closed, err := m.Outcome(); err != nil || !closed {
				return m.unlessFailed(err)
			}
		}
		return nil, nil
	}
	m := (*promised)(pl.Find(p, lacksValue))
	if m == nil {
		return nil, nil
	}
	_, err := m.Outcome()
	return m.unlessFailed(err)
}

func (m *promised) unlessFailed(err error) (*promised, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func lacksValue(target unsafe.Pointer) bool { return !(*promised)(target).HasValue() }

func isOpen(target unsafe.Pointer) bool { return (*promised)(target).Open() }

func isAny(unsafe.Pointer) bool { return true }

// eachPromise calls f with all futures in the value at p that have a target, open or not.
func eachPromise(pl *scan.Plan, p unsafe.Pointer, f func(*promised)) {
	if pl.InSight() {
		for _, at := range pl.Offsets {
			if m := promiseAt(unsafe.Add(p, at)); m != nil {
				f(m)
			}
		}
		return
	}
	for _, target := range pl.All(p, isAny) {
		f((*promised)(target))
	}
}

// allHaveValues reports whether all futures in the value at p have their results. It returns false
// for a type whose futures take a walk.
func allHaveValues(pl *scan.Plan, p unsafe.Pointer) bool {
	if !pl.InSight() {
		return false
	}
	for _, at := range pl.Offsets {
		if m := promiseAt(unsafe.Add(p, at)); m != nil && m != known && !m.HasValue() {
			return false
		}
	}
	return true
}

// waitAll waits for many futures on behalf of one message. A message waits for its futures one
// after another, and finds the next by walking through its argument; with many futures that takes
// a walk for each. So when a message with a plan for many is woken for the first time, waitAll
// lists the futures that are still open once.
//
// For the search for cycles (internal/promise/cycle.go) waitAll is a promise like others: the edge
// of the message leads to it, and its own edge to the future that it waits for.
type waitAll struct {
	promised
	left   []unsafe.Pointer // the targets of the futures that are left to wait for
	then   *message
	owner  *promised // the promise that waits; nil for a message without a future
	vtable *vtable   // the vtable of the owner
}

func newWaitAll(u *unit, then *message, left []unsafe.Pointer) *waitAll {
	g := &waitAll{left: left, then: then}
	g.become(waitAllVtable)
	g.unit = u
	return g
}

// gather makes m wait for all futures in the value at p. It returns false if m was revoked.
func gather(pl *scan.Plan, w *worker, m *promised, p unsafe.Pointer) bool {
	g := newWaitAll(m.unit, &m.message, pl.All(p, isOpen))
	g.owner, g.vtable = m, m.vtable()
	if !m.lead(&g.Cell, false) {
		return false
	}
	g.proceed(w)
	return true
}

// gatherFor makes m, a message without a future, wait for all futures in the value at p.
func gatherFor(pl *scan.Plan, w *worker, m *message, p unsafe.Pointer) {
	newWaitAll(m.unit, m, pl.All(p, isOpen)).proceed(w)
}

func wakeWaitAll(w *worker, m *message) { (*waitAll)(unsafe.Pointer(m)).proceed(w) }

// proceed waits for the next future. It wakes the message when none is left, or when one has
// failed.
func (g *waitAll) proceed(w *worker) {
	for len(g.left) > 0 {
		last := len(g.left) - 1
		dep := (*promised)(g.left[last])
		g.left[last] = nil
		g.left = g.left[:last]
		g.SetEdge(&dep.Cell)
		m := g.owner
		if !dep.notify(&g.message) {
			if _, err := dep.Outcome(); err != nil {
				break
			}
			continue
		}
		if m != nil && m.ClosesCycle(&dep.Cell) && m.seal(w, &promise.Circular) {
			w.countCycle(m, g.vtable)
		}
		return
	}
	g.left = nil
	g.fill(w)
	g.then.vtable().wake(w, g.then)
}
