package cluster

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun"
)

// Sketch:     a kind has a bound of active units (freerun.MaxActive), and finds no room for a unit
//             that is told something. A pause for each unit, longer each time, would leave the room
//             that comes free empty for most of the time: so what has found no room waits in one
//             line for the kind
//             one more of the line tries when a delivery to the kind has had its effect, some more
//             at each tick, and only one at a tick after others have found no room
// Invariants: C1 While the line is not empty a tick is to come, or the runtime ends.
// Checked by: TestCrowd

// crowd is the line of a kind: what is to be tried when there may be room.
type crowd struct {
	mu      sync.Mutex
	line    []func()
	ticking bool
	refused bool // since the last tick
	waits   atomic.Bool
}

// mostLetIn is how many of a line a tick lets in.
const mostLetIn = 16

// isCrowded reports whether a failure says that a kind has no room.
func isCrowded(err error) bool { return errors.Is(err, freerun.ErrFull) }

// add puts what has found no room at the end of the line.
func (c *crowd) add(rt *freerun.Runtime, try func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line, c.refused = append(c.line, try), true
	c.waits.Store(true)
	if !c.ticking {
		c.ticking = true
		later.SendAfter(rt.Context(), leastPause, func() { c.tick(rt) })
	}
}

// take takes the first n of the line, or as many as there are. The caller holds c.mu.
func (c *crowd) take(n int) []func() {
	n = min(n, len(c.line))
	first := c.line[:n:n]
	c.line = c.line[n:]
	c.waits.Store(len(c.line) > 0)
	return first
}

// letOneIn has the first of the line try: a unit of the kind may have become idle.
func (c *crowd) letOneIn() {
	if !c.waits.Load() {
		return
	}
	c.mu.Lock()
	first := c.take(1)
	c.mu.Unlock()
	for _, try := range first {
		try()
	}
}

// tick has some of the line try.
func (c *crowd) tick(rt *freerun.Runtime) {
	c.mu.Lock()
	n := mostLetIn
	if c.refused {
		n = 1
	}
	first := c.take(n)
	c.refused, c.ticking = false, len(c.line) > 0
	if c.ticking {
		later.SendAfter(rt.Context(), leastPause, func() { c.tick(rt) })
	}
	c.mu.Unlock()
	for _, try := range first {
		try()
	}
}
