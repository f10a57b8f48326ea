package submit

import (
	"runtime"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/pad"
	"github.com/freerun-go/freerun/internal/pin"
)

// count is what the tasks count themselves in: a word for each thread, on a line of its own, since one word for all would be what is
// measured as soon as two threads run tasks.
type count struct{ stripes []stripe }

type stripe struct {
	_ pad.Line
	n atomic.Uint64 // atomic, as a goroutine may move to another thread before it adds
	_ pad.Line
}

func newCount() *count { return &count{make([]stripe, runtime.GOMAXPROCS(0))} }

// add is the task.
func (c *count) add() {
	i := pin.Pin()
	pin.Unpin()
	c.stripes[i%len(c.stripes)].n.Add(1)
}

// total returns how many tasks were run. They must have ended.
func (c *count) total() (n uint64) {
	for i := range c.stripes {
		n += c.stripes[i].n.Load()
	}
	return n
}
