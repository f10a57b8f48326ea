// Package vclock is a clock whose time jumps: for programs that run on one goroutine, by a schedule.
package vclock

import (
	"container/heap"
	"time"
)

// Clock is the time of a simulated runtime. It stands still while something is left to run. Then
// [Clock.Advance] has it jump to its next timer, which fires on the calling goroutine. Timers of one
// instant fire in the order in which they were set. One goroutine at a time uses a Clock.
//
// With a [Source], time also passes while operations run. A timer that is due by then fires late:
// at the next Advance.
type Clock struct {
	at     time.Time // now; with a source, where its time begins
	source Source    // nil without
	set    uint64    // timers that were set
	queue  queue
}

// Source simulates how long operations take.
type Source interface {
	// Now returns how much time has passed.
	Now() time.Duration
	// Idle lets time pass until an instant, if that is to come: nothing is left to run.
	Idle(until time.Duration)
}

// Timer calls a function at an instant of a [Clock].
type Timer struct {
	at    time.Time
	nth   uint64
	f     func()
	index int // in the queue; -1 if it is not there
}

// New returns a clock that begins where that of testing/synctest does. source is nil if time passes
// in Advance alone.
func New(source Source) *Clock {
	return &Clock{at: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), source: source}
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	if c.source != nil {
		return c.at.Add(c.source.Now())
	}
	return c.at
}

// AfterFunc returns a timer that calls f once d has passed.
func (c *Clock) AfterFunc(d time.Duration, f func()) *Timer {
	c.set++
	t := &Timer{at: c.Now().Add(max(d, 0)), nth: c.set, f: f}
	heap.Push(&c.queue, t)
	return t
}

// Stop keeps t from firing, and reports whether it did.
func (c *Clock) Stop(t *Timer) bool {
	if t.index < 0 {
		return false
	}
	heap.Remove(&c.queue, t.index)
	return true
}

// Advance fires the next timer, at its time. It returns false if there is none.
func (c *Clock) Advance() bool {
	if len(c.queue) == 0 {
		return false
	}
	t := heap.Pop(&c.queue).(*Timer)
	if c.source != nil {
		c.source.Idle(t.at.Sub(c.at))
	} else {
		c.at = t.at
	}
	t.f()
	return true
}

// queue is a heap by time.
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
