package freerun

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Source:     R. K. Treiber's stack without its pop. One sweeper at a time unlinks the nodes of
//             timers that have ended.
// Sketch:     head ─→ t3 ─→ t2 (ended) ─→ t1
//             add:    CAS(head)
//             sweep:  t3.below = t1, t2.below = &sweptTimer
// Invariants: I1 A timer that has not ended is reached from head.
//             I2 The adder writes below before the timer is in the list; then the sweeper alone
//                writes it.
//             I3 At most half of the timers in the list, or fewestSwept of them, have ended; timers
//                that ended during a sweep come on top.
// Progress:   add is lock-free. ended is wait-free but for the sweep, which one call in many does.
//             each is lock-free: it begins anew only if a sweeper has meanwhile taken half of the
//             list out.
// ABA/memory: A timer is added once. A timer that was taken out keeps no other one alive.
// Checked by: TestExploreTimerList, TestTimerScope…

// timerList holds the timers of a scope, so that they end with it. The zero value is empty.
type timerList struct {
	head     atomics.Pointer[Timer]
	size     atomics.Int64 // timers in the list
	over     atomics.Int64 // how many of them have ended; for a moment too few
	sweeping atomics.Bool  // there is a sweeper
}

// sweptTimer is the mark in below of a timer that was taken out.
var sweptTimer Timer

// fewestSwept is how many timers must have ended before a sweep is worth its cost.
const fewestSwept = 32

// add puts in t, which was in no list before.
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

// ended counts a timer that has ended, and sweeps if that makes it worth while.
func (l *timerList) ended() {
	over := l.over.Add(1)
	if over >= fewestSwept && 2*over >= l.size.Load() && l.sweeping.CompareAndSwap(false, true) {
		l.sweep()
		l.sweeping.Store(false)
	}
}

// sweep takes out the timers that have ended. The caller is the sweeper.
func (l *timerList) sweep() {
	taken := int64(0)
	h := l.head.Load()
	for h != nil && h.over() {
		below := h.below.Load()
		if !l.head.CompareAndSwap(h, below) {
			break // h is not the first any more; the next sweep takes it out
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

// each calls f for all timers that were in the list before the call and have not ended. It may call
// f for other timers too, and for some timers twice.
func (l *timerList) each(f func(t *Timer)) {
	for t := l.head.Load(); t != nil; {
		f(t)
		if t = t.below.Load(); t == &sweptTimer {
			t = l.head.Load()
		}
	}
}
