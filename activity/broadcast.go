package activity

import (
	"context"
	"math/rand/v2"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     R. Treiber's stack, 1986, taken whole, once
// Sketch:     newest ─→ w3 ─→ w2 ─→ w1, or opened once the event has happened
//             enter: opened: grant;  else CAS(newest: w → newest)
//             open:  swap(newest: opened); grant all that were there
//             clear: CAS(newest: all → nil); drop the waiters that have left
//                    put the others back: CAS(newest: them → newest); opened by now: grant them
// Invariants: I1 opened is final.
//             I2 a waiter that has entered is in the list, or with a caller of clear, or granted.
// Progress:   enter, open and clear are lock-free
// Linearize:  open at its swap
// ABA/memory: the list is only ever taken whole. One of clearEvery waiters that leave clears it,
//             so there are about that many at most that have left.
// Checked by: TestExploreBroadcast…, and the tests of what is built on it

// broadcast wakes all its waiters when something happens, which happens once. The zero value has
// no waiters, and it has not happened.
type broadcast struct{ newest atomics.Pointer[mailbox.Node] }

// opened is the node to which newest points once the event has happened.
var opened mailbox.Node

func (c *broadcast) isOpen() bool { return c.newest.Load() == &opened }

// wait returns nil when the broadcast is open, and errors as [Wait] does.
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
	var err error
	if a := callerIn(ctx); a != nil {
		err = a.waitHere(0, c, nil)
	} else {
		err = waitElsewhere(ctx, 0, c)
	}
	entered = err == nil
	return err
}

// enter adds w to the waiters, or grants it if the broadcast is open.
func (c *broadcast) enter(w *Waiter) {
	if !c.put(&w.node, &w.node) {
		w.Grant()
	}
}

// put adds the waiters from newest to oldest, unless the broadcast is open. It reports whether it
// did.
func (c *broadcast) put(newest, oldest *mailbox.Node) bool {
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

// open grants all waiters in the order of arrival, except that waiters which arrived while others
// were put back by clear come before those. A second call has no effect.
func (c *broadcast) open() {
	if n := c.newest.Swap(&opened); n != &opened {
		grantAll(n)
	}
}

// clear drops the waiters that have left.
func (c *broadcast) clear() {
	n := c.newest.Load()
	if n == nil || n == &opened || !c.newest.CompareAndSwap(n, nil) {
		return
	}
	var newest, oldest *mailbox.Node
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
