package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/scan"
)

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
func gather(pl *scan.Plan, s *worker, m *promised, p unsafe.Pointer) bool {
	g := newWaitAll(m.unit, &m.message, pl.All(p, isOpen))
	g.owner, g.vtable = m, m.vtable()
	if !m.lead(&g.Cell, false) {
		return false
	}
	g.proceed(s)
	return true
}

// gatherFor makes l, a message without a future, wait for all futures in the value at p.
func gatherFor(pl *scan.Plan, s *worker, l *message, p unsafe.Pointer) {
	newWaitAll(l.unit, l, pl.All(p, isOpen)).proceed(s)
}

func wakeWaitAll(s *worker, l *message) { (*waitAll)(unsafe.Pointer(l)).proceed(s) }

// proceed waits for the next future. It wakes the message when none is left, or when one has
// failed.
func (g *waitAll) proceed(s *worker) {
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
		if m != nil && m.ClosesCycle(&dep.Cell) && m.seal(s, &promise.Circular) {
			s.countCycle(m, g.vtable)
		}
		return
	}
	g.left = nil
	g.fill(s)
	g.then.vtable().wake(s, g.then)
}
