//go:build explore

package linear

import "github.com/freerun-go/freerun/internal/verify/memory"

// clock counts the calls that have ended. In the explorer its accesses are steps: a history depends
// on whether one call ended before another began, and partial-order reduction tries both orders
// only of steps that conflict. The accesses order nothing else. If they did, the clock would hide
// data races. And a tick is no change that a spinning thread waits for.
type clock struct{ ended memory.Integer[int64] }

func (c *clock) now() int64 { return aside(0, c.ended.Load) }

func (c *clock) tick() int64 { return aside(1, func() int64 { return c.ended.Add(1) }) }

// aside makes a step that synchronises with no other step. It takes the step's own changes off the
// thread's count of changes, for which spinning threads wait. While the step waits for its turn,
// the thread's store buffer may be flushed; those changes stay counted.
func aside(changes int, step func() int64) int64 {
	t := memory.Current
	if t == nil || t.Freed {
		return step()
	}
	known := t.Clock
	v := step()
	if t.Freed {
		return v
	}
	known[t.ID] = t.Clock[t.ID]
	t.Clock = known
	t.Changes -= changes
	return v
}

// unseen reports whether the current thread has stores that others do not see yet. A tick would
// have to wait for them.
func unseen() bool {
	t := memory.Current
	return t != nil && !t.Freed && t.Pending() > 0
}
