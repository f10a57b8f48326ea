package submit

import (
	"runtime"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// count is the counter of all tasks: a word for each thread, on a line of its own, written without
// atomics where possible. With one word for all, the program would measure that word as soon as two
// threads run tasks.
type count struct {
	stripes []stripe
	rest    atomic.Uint64 // of threads without a stripe of their own
}

type stripe struct {
	_ pad.Line
	n uint64 // written by the goroutine that is pinned to the thread
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

// total returns how many tasks have run. All must have ended.
func (c *count) total() uint64 {
	n := c.rest.Load()
	for i := range c.stripes {
		n += c.stripes[i].n
	}
	return n
}
