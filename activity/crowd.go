package activity

import (
	"context"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/queue"
)

// crowd are those who wait for something that happens once. The zero value is an empty crowd, before it.
//
// The list of those who wait is one word; who opens the crowd takes it whole, so it needs no protection against reuse.
type crowd struct{ newest atomics.Pointer[queue.Node] }

// opened is what newest points to once it has happened.
var opened queue.Node

func (c *crowd) isOpen() bool { return c.newest.Load() == &opened }

// wait returns when the crowd is open; an error as [Wait] does.
func (c *crowd) wait(ctx context.Context) error {
	if c.isOpen() {
		return nil
	}
	return Wait(ctx, 0, c.enter)
}

// enter makes w one of the crowd, or grants it if it is too late for that.
func (c *crowd) enter(w *Waiter) {
	for {
		newest := c.newest.Load()
		if newest == &opened {
			w.Grant()
			return
		}
		w.Link(newest)
		if c.newest.CompareAndSwap(newest, &w.Node) {
			return
		}
	}
}

// open grants all, in the order in which they came. Once.
func (c *crowd) open() {
	if c.newest.Load() == nil && c.newest.CompareAndSwap(nil, &opened) {
		return
	}
	grantAll(c.newest.Swap(&opened))
}
