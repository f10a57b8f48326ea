package activity

import (
	"context"
	"math/rand/v2"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/queue"
)

// Source:     R. Treiber's stack, 1986, taken whole, once
// Sketch:     newest ─→ w3 ─→ w2 ─→ w1, or opened once it has happened
//             enter: opened: grant;  else CAS(newest: w → newest)
//             open:  swap(newest: opened); grant all that were there
//             clear: CAS(newest: all of them → nil); drop who has left; put the others back: CAS(newest: them → newest), or, if it is opened now, grant them
// Invariants: I1 opened is final. I2 who has entered is in the list, or with one who clears, or granted.
// Progress:   enter, open and clear are lock-free
// Linearize:  open at its swap
// ABA/memory: the list is only ever taken whole. One of so many who leave clears it, so those who have left are about that many at most.
// Checked by: TestExploreCrowd…, and the tests of what is built on it

// crowd are those who wait for something that happens once. The zero value is an empty crowd, before it.
type broadcast struct{ newest atomics.Pointer[queue.Node] }

// opened is what newest points to once it has happened.
var opened queue.Node

func (c *broadcast) isOpen() bool { return c.newest.Load() == &opened }

// wait returns when the crowd is open; an error as [Wait] does.
func (c *broadcast) wait(ctx context.Context) error {
	if c.isOpen() {
		return nil
	}
	entered := false
	defer func() {
		if !entered && rand.Uint32N(clearEvery) == 0 {
			c.clear()
		}
	}()
	err := waitIn(ctx, 0, c)
	entered = err == nil
	return err
}

// enter makes w one of the crowd, or grants it if it is too late for that.
func (c *broadcast) enter(w *Waiter) {
	if !c.put(&w.node, &w.node) {
		w.Grant()
	}
}

// put puts those from newest to oldest into the crowd, unless it is open.
func (c *broadcast) put(newest, oldest *queue.Node) bool {
	for {
		n := c.newest.Load()
		if n == &opened {
			return false
		}
		oldest.Link(n)
		if c.newest.CompareAndSwap(n, newest) {
			return true
		}
	}
}

// open grants all, in the order in which they came, but for those who came while others were put back. Again it does nothing.
func (c *broadcast) open() {
	if n := c.newest.Swap(&opened); n != &opened {
		grantAll(n)
	}
}

// clear takes those out of the crowd who have left it.
func (c *broadcast) clear() {
	n := c.newest.Load()
	if n == nil || n == &opened || !c.newest.CompareAndSwap(n, nil) {
		return
	}
	var newest, oldest *queue.Node
	for n != nil {
		w := waiterOf(n)
		n = n.Next()
		w.node.Link(nil)
		switch {
		case w.isOver():
			continue
		case oldest == nil:
			newest = &w.node
		default:
			oldest.Link(&w.node)
		}
		oldest = &w.node
	}
	if newest != nil && !c.put(newest, oldest) {
		oldest.Link(nil)
		grantAll(newest)
	}
}
