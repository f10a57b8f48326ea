package freerun

import (
	"context"

	"github.com/freerun-go/freerun/internal/ending"
)

// The end of a scope fails its timers and wakes its waiting activities. A scope ends in two ways:
// with the context given to Runtime.Scope, where a goroutine of package context does the work;
// or with the scope above, whose Cancel does the work itself before it returns. So a scope that
// gets its first timer, or its first waiting activity, enrolls for both. internal/ending has the
// protocol; here are its steps E3, E4 and F2:
//
//	E3  the maker of a timer puts it into the scope's list
//	E4  the maker looks whether the scope is canceled
//	F2  the canceler cancels the scope
//
// Checked by: TestExploreEnding (internal/ending), TestScopeCancelEndsTimersBelow, TestTimerScope…

// endingScope is a scope as an [ending.Owner].
type endingScope Scope

func (s *endingScope) Watch(f func()) (stop func() bool) { return context.AfterFunc(s.ctx, f) }

func (s *endingScope) End() { (*Scope)(s).endTimers() }

// enroll does E1 and E2, once.
func (s *Scope) enroll() {
	n := &s.withMore().ending
	if n.Enrolled() {
		return
	}
	var above *ending.Node
	if s.parent != nil {
		s.parent.enroll()
		above = &s.parent.withMore().ending
	}
	n.Enroll((*endingScope)(s), above)
}

// unwatch is F1.
func (s *Scope) unwatch() {
	if m := s.more.Load(); m != nil {
		m.ending.Unwatch()
	}
}

// endAll is F3.
func (s *Scope) endAll() {
	if m := s.more.Load(); m != nil {
		m.ending.EndAll((*endingScope)(s))
	} else {
		s.endTimers()
	}
}

// endTimers fails the timers of the scope, which is canceled, and wakes its waiting activities.
func (s *Scope) endTimers() {
	s.rt.env.endTimersOf(s)
	s.interruptWaiting()
}

// isIn reports whether s is the scope above itself, or lies below it.
func (s *Scope) isIn(above *Scope) bool {
	for ; s != nil; s = s.parent {
		if s == above {
			return true
		}
	}
	return false
}
