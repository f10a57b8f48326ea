package timerwheel

import (
	_ "sync/atomic" // lets the compiler inline the operations of internal/sync/atomics

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     R. K. Treiber's stack without its pop. One sweeper at a time unlinks the nodes of
//             timers that have ended.
// Sketch:     head ─→ t3 ─→ t2 (ended) ─→ t1
//             Add:    CAS(head)
//             sweep:  t3.below = t1, t2.below = &swept
// Invariants: I1 A timer that has not ended is reached from head.
//             I2 The adder writes below before the timer is in the list; then the sweeper alone
//                writes it.
//             I3 At most half of the timers in the list, or FewestSwept of them, have ended; timers
//                that ended during a sweep come on top.
// Progress:   Add is lock-free. Ended is wait-free but for the sweep, which one call in many does.
//             Each is lock-free: it begins anew only if a sweeper has meanwhile taken half of the
//             list out.
// ABA/memory: A timer is added once. A timer that was taken out keeps no other one alive.
// Checked by: TestExploreTimerList, TestTimerScope…

// List holds the timers of a scope, so that they end with it. Any goroutine may call the methods.
// The zero value is empty.
type List struct {
	head     atomics.Pointer[Entry]
	size     atomics.Int64 // timers in the list
	over     atomics.Int64 // how many of them have ended; for a moment too few
	sweeping atomics.Bool  // there is a sweeper
}

// swept is the mark in below of a timer that was taken out.
var swept Entry

// FewestSwept is how many timers must have ended before a sweep is worth its cost.
const FewestSwept = 32

// Add puts in t, which was in no list before.
func (l *List) Add(t *Entry) {
	l.size.Add(1)
	for {
		h := l.head.Load()
		t.below.Store(h)
		if l.head.CompareAndSwap(h, t) {
			return
		}
	}
}

// Ended counts a timer that has ended, and sweeps if that makes it worth while.
func (l *List) Ended() {
	over := l.over.Add(1)
	if over >= FewestSwept && 2*over >= l.size.Load() && l.sweeping.CompareAndSwap(false, true) {
		l.sweep()
		l.sweeping.Store(false)
	}
}

// sweep takes out the timers that have ended. The caller is the sweeper.
func (l *List) sweep() {
	taken := int64(0)
	h := l.head.Load()
	for h != nil && h.Over() {
		below := h.below.Load()
		if !l.head.CompareAndSwap(h, below) {
			break // h is not the first any more; the next sweep takes it out
		}
		h.below.Store(&swept)
		taken++
		h = below
	}
	for above := h; above != nil; {
		t := above.below.Load()
		if t == nil || !t.Over() {
			above = t
			continue
		}
		above.below.Store(t.below.Load())
		t.below.Store(&swept)
		taken++
	}
	l.size.Add(-taken)
	l.over.Add(-taken)
}

// Len returns how many timers are in the list, those included that have ended and were not swept.
func (l *List) Len() int64 { return l.size.Load() }

// Empty reports whether no timer is in the list.
func (l *List) Empty() bool { return l.head.Load() == nil }

// Each calls f for all timers that were in the list before the call and have not ended. It may call
// f for other timers too, and for some timers twice.
func (l *List) Each(f func(t *Entry)) {
	for t := l.head.Load(); t != nil; {
		f(t)
		if t = t.below.Load(); t == &swept {
			t = l.head.Load()
		}
	}
}
