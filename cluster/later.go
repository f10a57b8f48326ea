package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
)

// What a node does beside its units: after a while, or what waits for the store.

// later calls a function after a while, and not at all once the runtime drains.
var later = freerun.FreeOp("later", func(_ *freerun.Context, fn func()) (struct{}, error) {
	fn()
	return struct{}{}, nil
})

// after calls fn after a while, for an outcome that a Shutdown waits for: so at once when the
// runtime drains, as that drops timers. fn looks whether the node ends.
func (n *Node) after(d time.Duration, fn func()) { ring(n.rt.Context(), d, fn) }

// limit is after, and may be stopped: what waits then is nothing that is left at the end.
func (n *Node) limit(d time.Duration, fn func()) (stop func()) {
	s := n.rt.Scope(context.Background())
	ring(s.Context(), d, fn)
	return func() { s.Cancel(nil) }
}

// ring calls fn once after a while, or when the timer is dropped.
func ring(c *freerun.Context, d time.Duration, fn func()) {
	fn = sync.OnceFunc(fn)
	rung := freerun.Handle(c, freerun.After(c, d), func(*freerun.Context, time.Time, error) (struct{}, error) {
		fn()
		return struct{}{}, nil
	})
	if _, err := rung.Result(); errors.Is(err, freerun.ErrClosed) { // it was refused
		fn()
	}
}

// blocks calls a function that waits.
var blocks = freerun.FreeOp("blocks", func(c *freerun.Context, fn func()) (struct{}, error) {
	c.Block(fn)
	return struct{}{}, nil
})
