package freerun

import (
	"container/heap"
	"time"
)

// virtualClock is the time of a deterministic runtime. It stands still, but when the driver has nothing left to run: then it jumps to
// the next timer, which fires on the driver's goroutine. Timers of one instant fire in the order in which they were set.
// In a runtime whose time is simulated, time also passes while operations run; a timer that is due by then fires late, when nothing is left to run.
type virtualClock struct {
	at     time.Time // or, of simulated time, where it begins
	timed  timed     // nil otherwise
	timers uint64    // that were set
	queue  virtualQueue
}

type virtualTimer struct {
	at    time.Time
	nth   uint64
	f     func()
	index int // in the queue; -1 if it is not there
}

// newVirtualClock returns a clock that begins where that of testing/synctest does.
func newVirtualClock(t timed) *virtualClock {
	return &virtualClock{at: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), timed: t}
}

func (c *virtualClock) now() time.Time {
	if c.timed != nil {
		return c.at.Add(c.timed.Now())
	}
	return c.at
}

func (c *virtualClock) afterFunc(d time.Duration, f func()) (stop func() bool) {
	t := c.set(d, f)
	return func() bool { return c.cancel(t) }
}

// set has f called once d has passed.
func (c *virtualClock) set(d time.Duration, f func()) *virtualTimer {
	c.timers++
	t := &virtualTimer{at: c.now().Add(max(d, 0)), nth: c.timers, f: f}
	heap.Push(&c.queue, t)
	return t
}

// cancel keeps t from firing, and reports whether it did.
func (c *virtualClock) cancel(t *virtualTimer) bool {
	if t.index < 0 {
		return false
	}
	heap.Remove(&c.queue, t.index)
	return true
}

// advance fires the next timer, at its time; false if there is none.
func (c *virtualClock) advance() bool {
	if len(c.queue) == 0 {
		return false
	}
	t := heap.Pop(&c.queue).(*virtualTimer)
	if c.timed != nil {
		c.timed.Idle(t.at.Sub(c.at))
	} else {
		c.at = t.at
	}
	t.f()
	return true
}

// virtualQueue is a heap by time.
type virtualQueue []*virtualTimer

func (q virtualQueue) Len() int { return len(q) }

func (q virtualQueue) Less(i, j int) bool {
	if q[i].at.Equal(q[j].at) {
		return q[i].nth < q[j].nth
	}
	return q[i].at.Before(q[j].at)
}

func (q virtualQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *virtualQueue) Push(x any) {
	t := x.(*virtualTimer)
	t.index = len(*q)
	*q = append(*q, t)
}

func (q *virtualQueue) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	t.index = -1
	return t
}
