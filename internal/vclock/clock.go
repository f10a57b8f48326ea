// Package vclock is a clock with virtual time, which jumps from timer to timer. It is for programs
// that run on one goroutine, by a schedule.
package vclock

import (
	"container/heap"
	"time"
)

// Clock is the time of a simulated runtime. It stands still until its user calls [Clock.Advance],
// when nothing is left to run: then it jumps to its next timer, which fires on the calling
// goroutine. Timers of one instant fire in the order in which they were set. Only one goroutine at
// a time may use a Clock. Make it with [New].
//
// With a [Source], time also passes while operations run. A timer that becomes due meanwhile fires
// at the next Advance or Fire.
type Clock struct {
	at     time.Time // the present time; with a source, the time at which the source begins
	source Source    // nil if time passes in Advance alone
	set    uint64    // how many timers were set so far
	queue  queue     // the timers that have neither fired nor been stopped
}

// Source simulates how long operations take.
type Source interface {
	// Now returns how much time has passed.
	Now() time.Duration
	// Idle lets time pass until an instant, unless that has passed, or until something sets an
	// earlier timer. Nothing is left to run.
	Idle(until time.Duration)
}

// Timer calls a function at an instant of a [Clock].
type Timer struct {
	at    time.Time
	nth   uint64 // its number in the order of setting
	f     func()
	index int // in the queue; -1 once the timer has fired or was stopped
}

// New returns a clock that begins at the same time as that of a testing/synctest bubble. source is
// nil if time passes in Advance alone.
func New(source Source) *Clock {
	return &Clock{at: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), source: source}
}

// Now returns the virtual time.
func (c *Clock) Now() time.Time {
	if c.source != nil {
		return c.at.Add(c.source.Now())
	}
	return c.at
}

// AfterFunc sets a timer that calls f, in Advance or Fire, once d has passed.
func (c *Clock) AfterFunc(d time.Duration, f func()) *Timer {
	c.set++
	t := &Timer{at: c.Now().Add(max(d, 0)), nth: c.set, f: f}
	heap.Push(&c.queue, t)
	return t
}

// Stop keeps t from firing, and reports whether it did: false if t has fired or was stopped before.
func (c *Clock) Stop(t *Timer) bool {
	if t.index < 0 {
		return false
	}
	heap.Remove(&c.queue, t.index)
	return true
}

// Advance jumps to the time of the next timer and fires it. It returns false if there is none.
func (c *Clock) Advance() bool {
	if len(c.queue) == 0 {
		return false
	}
	next := c.queue[0]
	if c.source == nil {
		c.at = next.at
	} else if c.source.Idle(next.at.Sub(c.at)); c.queue[0] != next && !c.Due() {
		return true // an earlier one was set
	}
	heap.Pop(&c.queue).(*Timer).f()
	return true
}

// Due reports whether a timer is due.
func (c *Clock) Due() bool { return len(c.queue) > 0 && !c.queue[0].at.After(c.Now()) }

// Next returns how much time will have passed, as the source counts it, at the next timer, and
// whether there is one.
func (c *Clock) Next() (at time.Duration, some bool) {
	if len(c.queue) == 0 {
		return 0, false
	}
	return c.queue[0].at.Sub(c.at), true
}

// Fire fires the timers that are due, without those that they set.
func (c *Clock) Fire() {
	for last := c.set; c.Due() && c.queue[0].nth <= last; {
		heap.Pop(&c.queue).(*Timer).f()
	}
}

// queue is a heap of timers by time and, at one instant, by number.
type queue []*Timer

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if q[i].at.Equal(q[j].at) {
		return q[i].nth < q[j].nth
	}
	return q[i].at.Before(q[j].at)
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) Push(x any) {
	t := x.(*Timer)
	t.index = len(*q)
	*q = append(*q, t)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	t.index = -1
	return t
}
