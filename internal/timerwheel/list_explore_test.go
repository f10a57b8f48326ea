//go:build explore

package timerwheel

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreTimerList adds timers to the list of a scope, and ends and sweeps them, while a
// canceler goes through the list. The canceler finds the timer that was in the list before and does
// not end; afterwards the list has both timers that have not ended.
func TestExploreTimerList(t *testing.T) {
	body := func(each func(l *List, f func(*Entry))) func(*explore.Run) {
		return func(r *explore.Run) {
			l := &List{}
			var timers [4]*Entry
			for i := range timers {
				timers[i] = &Entry{}
			}
			for _, t := range timers[:3] {
				t.State.Store(Set)
				l.Add(t)
			}
			r.Go("adder", func() {
				timers[3].State.Store(Set)
				l.Add(timers[3])
			})
			r.Go("stopper", func() {
				for _, t := range timers[1:3] {
					t.State.Store(Stopped)
				}
				l.sweep()
			})
			r.Go("canceler", func() {
				found := false
				each(l, func(t *Entry) { found = found || t == timers[0] })
				if !found {
					r.Failf("a timer that had not ended was not found")
				}
			})
			r.After(func() {
				n, found := int64(0), 0
				l.Each(func(t *Entry) {
					if n++; t == timers[0] || t == timers[3] {
						found++
					}
				})
				if n != l.size.Load() || found != 2 {
					r.Failf("%d in the list, %d counted, %d of the 2 that have not ended", n, l.size.Load(), found)
				}
			})
		}
	}
	explore.Exhaustive(t, 3, body((*List).Each))
	// A control: the canceler does not begin again at the head when it meets a timer that was taken
	// out.
	explore.MustFail(t, 3, body(func(l *List, f func(*Entry)) {
		for t := l.head.Load(); t != nil; t = t.below.Load() {
			f(t)
		}
	}))
}

// endedProgram has two goroutines that end a timer each, in a list that is due for a sweep. ended
// is List.Ended, or a faulty version of it.
func endedProgram(ended func(*List)) func(*explore.Run) {
	return func(r *explore.Run) {
		l := &List{}
		var timers [4]*Entry
		for i := range timers {
			timers[i] = &Entry{}
			timers[i].State.Store(Set)
			l.Add(timers[i])
		}
		l.over.Store(FewestSwept) // as if so many had ended
		for i, name := range []string{"one", "two"} {
			r.Go(name, func() {
				timers[1+i].State.Store(Stopped)
				ended(l)
			})
		}
		r.After(func() {
			n := int64(0)
			l.Each(func(*Entry) { n++ })
			if n != l.Len() || l.over.Load() != FewestSwept+n-2 {
				r.Failf("%d in the list, %d counted, %d of them ended", n, l.Len(), l.over.Load()-FewestSwept)
			}
			if l.sweeping.Load() {
				r.Failf("a sweeper for ever")
			}
		})
	}
}

// TestExploreTimerListEnded: one goroutine at a time sweeps, and the counts are those of the list.
func TestExploreTimerListEnded(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, endedProgram((*List).Ended))
}

// TestExploreTimerListEndedControl: the exploration finds two sweepers at once.
func TestExploreTimerListEndedControl(t *testing.T) {
	explore.MustFail(t, 3, endedProgram(func(l *List) {
		l.over.Add(1)
		l.sweep()
	}))
}
