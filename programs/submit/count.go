package submit

import (
	"runtime"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// count is what the tasks count themselves in: a word for each thread, on a line of its own and written without atomics where that can be,
// since one word for all would be what is measured as soon as two threads run tasks.
type count struct {
	stripes []stripe
	rest    atomic.Uint64 // of those who have no stripe to themselves
}

type stripe struct {
	_ pad.Line
	n uint64 // written by whoever is pinned
	_ pad.Line
}

func newCount() *count { return &count{stripes: make([]stripe, runtime.GOMAXPROCS(0))} }

// add is the task.
func (c *count) add() {
	if i := pin.Pin(); pin.Exclusive && i < len(c.stripes) {
		c.stripes[i].n++
		pin.Unpin()
		return
	}
	pin.Unpin()
	c.rest.Add(1)
}

// total returns how many tasks were run. They must have ended.
func (c *count) total() uint64 {
	n := c.rest.Load()
	for i := range c.stripes {
		n += c.stripes[i].n
	}
	return n
}
