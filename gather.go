package freerun

import "unsafe"

// gathering waits for many futures on behalf of one letter. A letter waits for its futures one after another, and looks for
// the next by walking through its argument; with many futures that would take a walk for each. So when a letter with
// a plan for many is woken for the first time, the futures that are still open are listed once.
//
// To those who look for cycles it is a message like others: the letter's edge leads to it, its own to the future that it waits for.
type gathering struct {
	message
	left  []*message
	then  *letter
	owner *message // the letter's message, if it has a future
	kind  *kind    // of the owner
}

var gatheringKind = newKind(kind{name: "gathering", wake: wakeGathering}, nil)

func newGathering(u *unit, then *letter, left []*message) *gathering {
	g := &gathering{left: left, then: then}
	g.become(gatheringKind)
	g.unit = u
	return g
}

// gather makes m wait for all futures in the value at p, and returns false if m was revoked.
func (pl *plan) gather(s *seat, m *message, p unsafe.Pointer) bool {
	g := newGathering(m.unit, &m.letter, pl.allOpen(p))
	g.owner, g.kind = m, m.kind()
	if !m.lead(&g.message, false) {
		return false
	}
	g.proceed(s)
	return true
}

// gatherFor makes l, which has no future, wait for all futures in the value at p.
func (pl *plan) gatherFor(s *seat, l *letter, p unsafe.Pointer) {
	newGathering(l.unit, l, pl.allOpen(p)).proceed(s)
}

func wakeGathering(s *seat, l *letter) { (*gathering)(unsafe.Pointer(l)).proceed(s) }

// proceed waits for the next future, or wakes the letter when there is none left, or one failed.
func (g *gathering) proceed(s *seat) {
	for len(g.left) > 0 {
		last := len(g.left) - 1
		dep := g.left[last]
		g.left[last] = nil
		g.left = g.left[:last]
		g.edge.Store(dep)
		m := g.owner
		if !dep.notify(&g.letter) {
			if _, err := dep.outcome(); err != nil {
				break
			}
			continue
		}
		if m != nil && m.closesCycle(dep) && m.seal(s, &cycled) {
			s.countCycle(m, g.kind)
		}
		return
	}
	g.left = nil
	g.fill(s)
	g.then.kind().wake(s, g.then)
}
