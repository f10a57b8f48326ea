//go:build !wasm

package transfer

import (
	"fmt"
	"sync"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// calls counts the calls of a store that have not ended, and has the first error of all.
type calls struct {
	slots chan struct{} // one is taken by each call

	mu    sync.Mutex
	first error
}

// mostUnder is how many calls are under way.
const mostUnder = 256

// newCalls returns one with no call under way.
func newCalls() *calls { return &calls{slots: make(chan struct{}, mostUnder)} }

// begin waits until another call may be under way. It may return the error of one before; the call
// is not to be made then.
func (c *calls) begin() error {
	if !c.take() {
		return c.err()
	}
	if err := c.err(); err != nil {
		<-c.slots
		return err
	}
	return nil
}

// end ends a call. Any goroutine.
func (c *calls) end(err error) {
	if err != nil {
		c.fail(err)
	}
	<-c.slots
}

// wait waits for all calls, and returns the first error.
func (c *calls) wait() error {
	taken := 0
	for taken < mostUnder && c.take() {
		taken++
	}
	for range taken {
		<-c.slots
	}
	return c.err()
}

// take takes a slot, and reports whether there was one before it was too late.
func (c *calls) take() bool {
	limit := time.NewTimer(mostWait)
	defer limit.Stop()
	select {
	case c.slots <- struct{}{}:
		return true
	case <-limit.C:
		c.fail(fmt.Errorf("the store has accepted nothing within %v: %w", mostWait, engine.ErrUncertain))
		return false
	}
}

func (c *calls) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		c.first = err
	}
}

// err returns the first error of a call that has ended; nil for none.
func (c *calls) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}
