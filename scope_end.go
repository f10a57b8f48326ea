package freerun

import (
	"context"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// The end of a scope fails its timers and wakes its waiting activities. A scope ends in two ways:
// with the context given to Runtime.Scope, where a goroutine of package context does the work;
// or with the scope above, whose Cancel does the work itself before it returns. So a scope that
// gets its first timer, or its first waiting activity, enrolls for both:
//
//	E1  the scope enrolls in the scope above, which enrolls first
//	E2  the scope watches its context
//	E3  the maker of a timer puts it into the scope's list
//	E4  the maker looks whether the scope is canceled
//
//	F1  the canceler stops the watches of the scope, and of the scopes below
//	F2  the canceler cancels the scope
//	F3  the canceler ends the timers of the scope, and of the scopes below; where a watch began
//	    after F1, the canceler first waits for the end of that watch
//
// Either E4 finds the scope canceled, or F3 finds the timer.
//
// Checked by: TestScopeCancelEndsTimersBelow, TestTimerScope…

// watching is a scope's watch on its context.
type watching struct {
	stop func() bool  // stops the watch; false if it has begun to end the timers, or was stopped
	over atomics.Bool // the watch has ended the timers, or was stopped
}

// enroll does E1 and E2, once.
func (s *Scope) enroll() {
	m := s.withMore()
	m.enrollOnce.Do(func() {
		if above := s.parent; above != nil {
			above.enroll()
			above.withMore().below.Store(s, nil)
		}
		w := &watching{}
		w.stop = context.AfterFunc(s.ctx, func() {
			s.endTimers()
			s.leaveAbove()
			w.over.Store(true)
		})
		m.watching.Store(w)
	})
}

// unwatch is F1.
func (s *Scope) unwatch() {
	if m := s.more.Load(); m != nil {
		if w := m.watching.Load(); w != nil && w.stop() {
			w.over.Store(true)
		}
		m.below.Range(func(below, _ any) bool {
			below.(*Scope).unwatch()
			return true
		})
	}
}

// endAll is F3.
func (s *Scope) endAll() {
	m := s.more.Load()
	if m != nil {
		if w := m.watching.Load(); w != nil && !w.stop() {
			for wait := (backoff.Backoff{}); !w.over.Load(); {
				wait.Wait()
			}
		}
	}
	s.endTimers()
	s.leaveAbove()
	if m != nil {
		m.below.Range(func(below, _ any) bool {
			below.(*Scope).endAll()
			return true
		})
	}
}

// leaveAbove undoes E1.
func (s *Scope) leaveAbove() {
	if above := s.parent; above != nil {
		if m := above.more.Load(); m != nil {
			m.below.Delete(s)
		}
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
