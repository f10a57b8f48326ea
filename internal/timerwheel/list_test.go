package timerwheel

import (
	"runtime"
	"testing"
	"weak"
)

// end ends a timer of the list.
func (l *List) end(t *Entry) {
	t.State.Store(Stopped)
	l.Ended()
}

// armed adds n timers to the list.
func (l *List) armed(n int) (timers []*Entry) {
	for range n {
		t := &Entry{}
		t.State.Store(Set)
		l.Add(t)
		timers = append(timers, t)
	}
	return timers
}

// TestListEnded: a list is swept when FewestSwept of its timers, and at least half of them, have
// ended; not before, and after a sweep not before as many have ended anew.
func TestListEnded(t *testing.T) {
	l := &List{}
	stay := l.armed(FewestSwept / 2)
	for round := range 3 {
		over := l.armed(FewestSwept)
		for i, timer := range over {
			if n := l.Len(); n != int64(len(stay)+len(over)) {
				t.Errorf("round %d: %d timers are left when %d have ended", round, n, i)
			}
			l.end(timer)
		}
		if n := l.Len(); n != int64(len(stay)) {
			t.Errorf("round %d: %d timers are left after the sweep, not %d", round, n, len(stay))
		}
	}
	many := l.armed(4 * FewestSwept)
	for _, timer := range many[:FewestSwept] {
		l.end(timer)
	}
	if n := l.Len(); n != int64(len(stay)+len(many)) {
		t.Errorf("%d timers are left: a quarter of the list was swept", n)
	}
}

// TestListKeepsNothing: a timer that was swept, first in the list or behind others, keeps no other
// timer alive.
func TestListKeepsNothing(t *testing.T) {
	l := &List{}
	first, behind := func() (first, behind *Entry) {
		l.armed(1)
		behind = l.armed(1)[0]
		l.armed(1)
		first = l.armed(1)[0]
		first.State.Store(Stopped)
		behind.State.Store(Stopped)
		l.sweep()
		return first, behind
	}()
	if l.Len() != 2 {
		t.Fatalf("%d timers are left", l.Len())
	}
	list := weak.Make(l)
	var left []weak.Pointer[Entry]
	l.Each(func(timer *Entry) { left = append(left, weak.Make(timer)) })
	l = nil
	for range 10 {
		runtime.GC()
	}
	for i, timer := range left {
		if timer.Value() != nil {
			t.Errorf("timer %d of a list that is gone is kept", i)
		}
	}
	if list.Value() != nil {
		t.Error("the list is kept")
	}
	runtime.KeepAlive(first)
	runtime.KeepAlive(behind)
}
