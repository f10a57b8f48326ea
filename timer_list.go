package freerun

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Source:     R. K. Treiber's stack without its pop; nodes that have ended are unlinked by one
//             sweeper at a time
// Sketch:     head ─→ t3 ─→ t2 (ended) ─→ t1
//             add:    CAS(head)
//             sweep:  t3.below = t1, t2.below = &sweptTimer
// Invariants: I1 a timer that has not ended is reached from head. I2 below is written by the adder
//             before the timer is in the list, and then by the sweeper alone. I3 at most half of
//             the timers have ended, or fewest, but for those that ended during a sweep.
// Progress:   add is lock-free. ended is wait-free but for the sweep, which is the work of one call
//             in many. each is lock-free: it begins anew only if a sweeper has taken half of the
//             list out meanwhile
// ABA/memory: a timer is added once. One that was taken out keeps no other from being collected.
// Checked by: TestExploreTimerList, TestTimerScope…

// timerList has the timers of a scope, so that they end with it. The zero value is empty.
type timerList struct {
	head     atomics.Pointer[Timer]
	size     atomics.Int64 // timers in the list
	over     atomics.Int64 // of those, how many have ended; for a moment too few
	sweeping atomics.Bool
}

// sweptTimer is below a timer that was taken out.
var sweptTimer Timer

// fewestSwept is how many timers must have ended for a sweep to be worth while.
const fewestSwept = 32

// add puts in t, which is in no list.
func (l *timerList) add(t *Timer) {
	l.size.Add(1)
	for {
		h := l.head.Load()
		t.below.Store(h)
		if l.head.CompareAndSwap(h, t) {
			return
		}
	}
}

// ended tells that one of the timers has ended.
func (l *timerList) ended() {
	over := l.over.Add(1)
	if over >= fewestSwept && 2*over >= l.size.Load() && l.sweeping.CompareAndSwap(false, true) {
		l.sweep()
		l.sweeping.Store(false)
	}
}

// sweep takes out what has ended.
func (l *timerList) sweep() {
	taken := int64(0)
	h := l.head.Load()
	for h != nil && h.over() {
		below := h.below.Load()
		if !l.head.CompareAndSwap(h, below) {
			break // it is not the first any more; the next sweep finds it
		}
		h.below.Store(&sweptTimer)
		taken++
		h = below
	}
	for above := h; above != nil; {
		t := above.below.Load()
		if t == nil || !t.over() {
			above = t
			continue
		}
		above.below.Store(t.below.Load())
		t.below.Store(&sweptTimer)
		taken++
	}
	l.size.Add(-taken)
	l.over.Add(-taken)
}

func (l *timerList) empty() bool { return l.head.Load() == nil }

// each calls f for all timers that were in the list before, and have not ended; for some perhaps
// twice, and for others too.
func (l *timerList) each(f func(t *Timer)) {
	for t := l.head.Load(); t != nil; {
		f(t)
		if t = t.below.Load(); t == &sweptTimer {
			t = l.head.Load()
		}
	}
}
