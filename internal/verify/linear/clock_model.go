//go:build explore

package linear

import "github.com/freerun-go/freerun/internal/verify/memory"

// clock counts the calls that have ended. In the explorer its accesses are steps: whether one call
// ended before another began is what a history is about, and partial-order reduction would not try
// both if it saw no conflict. But they order nothing else: what one thread did before it ended a
// call must not become visible to another because of the clock, or data races would go unseen; nor
// may a thread that spins take a tick for what it waits for.
type clock struct{ ended memory.Integer[int64] }

func (c *clock) now() int64 { return aside(0, c.ended.Load) }

func (c *clock) tick() int64 { return aside(1, func() int64 { return c.ended.Add(1) }) }

// aside makes a step that synchronises with nothing and is not counted among the changes that
// others wait for. While it waits for its turn, changes may come from the thread's store buffer;
// those count.
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
