package queue

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// synchronousSide is one side of a [Synchronous]: its enqueuers that wait, or its dequeuers. Their
// own goroutines join, and wait with a cell; a goroutine of the other side that was promised a cell
// claims or refuses it.
type synchronousSide[T any] struct {
	balance *balance
	step    int64
	cells   *MPMC[*cell[T]]
	notFull waitQueue // for room in cells
	spare   spares[cell[T]]
	_       pad.Line
}

// cell is where a goroutine that waits meets one of the other side.
type cell[T any] struct {
	state  atomics.Uint32
	item   atomics.Plain[T]
	parker *park.Parker // the owner's; nil until it sleeps for the first time
}

// The states of a cell. The owner changes waiting to parked, and either to cancelled; the other
// side claims or refuses it.
const (
	cellWaiting   uint32 = iota
	cellParked           // and the owner gets one token when it is claimed or refused
	cellClaimed          // claimed from waiting: a goroutine of the other side is moving the item
	cellFulfilled        // that goroutine has moved the item, and no longer touches the cell
	cellSignaled         // claimed from parked: the token says that the item has been moved
	cellRefused          // the queue is closed
	cellCancelled        // stays in the ring, for the other side to drop
)

func (d *synchronousSide[T]) init(b *balance, step int64, room int) {
	d.balance, d.step, d.cells = b, step, NewMPMC[*cell[T]](room)
}

// join counts the caller in on its own side; see [balance.join].
func (d *synchronousSide[T]) join(atOnce bool) match {
	if d.balance == nil {
		panic("queue: a zero Synchronous; make it with NewSynchronous")
	}
	return d.balance.join(d.step, atOnce)
}

// newCell returns a cell that no other goroutine knows.
func (d *synchronousSide[T]) newCell() *cell[T] {
	c := d.spare.get()
	if c == nil {
		return &cell[T]{}
	}
	c.state.Store(cellWaiting)
	return c
}

// free takes back a cell that its owner has waited with, unless the other side may still come
// across it.
func (d *synchronousSide[T]) free(c *cell[T]) {
	if c.state.Load() != cellCancelled {
		d.spare.put(c)
	}
}

// await puts c where the other side finds it, for a caller that is counted and has no match, and
// waits until a peer has fulfilled it. Otherwise it returns an error, and no peer will.
func (d *synchronousSide[T]) await(ctx context.Context, c *cell[T]) error {
	if !d.cells.TryEnqueue(c) {
		if err := d.enter(ctx, c); err != nil {
			return err
		}
	}
	var b backoff.Backoff
	for turn := 0; turn < spinTurns && !b.Spent(); turn++ {
		if over, err := c.outcome(); over {
			return err
		}
		if ctx.Err() != nil {
			break
		}
		b.Wait()
	}
	if c.parker == nil {
		c.parker = park.New()
	}
	if c.state.CompareAndSwap(cellWaiting, cellParked) {
		if err := c.parker.ParkContext(ctx); err != nil {
			if c.state.CompareAndSwap(cellParked, cellCancelled) { // L2
				return err
			}
			c.parker.Park()
		}
		if c.state.Load() == cellRefused {
			return ErrClosed
		}
		return nil
	}
	for {
		if over, err := c.outcome(); over {
			return err
		}
		b.Wait()
	}
}

// outcome says whether the wait in a cell is over, and with which error, once its owner is awake.
func (c *cell[T]) outcome() (over bool, err error) {
	switch c.state.Load() {
	case cellFulfilled:
		return true, nil
	case cellRefused:
		return true, ErrClosed
	default:
		return false, nil
	}
}

// enter waits for room and puts c into the ring. If it returns an error, c is not in the ring.
func (d *synchronousSide[T]) enter(ctx context.Context, c *cell[T]) error {
	closed := false
	err := d.notFull.await(ctx, true, func() bool {
		closed = d.balance.closed()
		return closed || d.cells.TryEnqueue(c)
	})
	if closed {
		err = ErrClosed
	}
	if err == nil || d.balance.leave(d.step) { // L3
		return err
	}
	// c is promised: the other side is making room.
	for b := (backoff.Backoff{}); !d.cells.TryEnqueue(c); {
		b.Wait()
	}
	return nil
}

// next takes out of the ring the cell that the caller, of the other side, was promised.
func (d *synchronousSide[T]) next() *cell[T] {
	for b := (backoff.Backoff{}); ; b.Wait() { // for the owner that is about to put it there
		if c, ok := d.cells.TryDequeue(); ok {
			d.notFull.propagate()
			return c
		}
	}
}

// claim returns the cell that the caller, of the other side, was promised, so that the caller moves
// the item and fulfills it. It returns nil if the cell was cancelled.
func (d *synchronousSide[T]) claim() *cell[T] {
	c := d.next()
	switch { // L1
	case c.state.CompareAndSwap(cellWaiting, cellClaimed), c.state.CompareAndSwap(cellParked, cellSignaled):
		return c
	default:
		return nil
	}
}

// fulfill tells the owner of a claimed cell that the item has been moved. The cell is the owner's
// again.
func (c *cell[T]) fulfill() {
	if c.state.Load() == cellSignaled {
		c.parker.Unpark()
	} else {
		c.state.Store(cellFulfilled)
	}
}

// refuse ends the wait of the owner of a cell that the caller, which has closed the queue, was
// promised.
func (d *synchronousSide[T]) refuse() {
	c := d.next()
	if !c.state.CompareAndSwap(cellWaiting, cellRefused) && c.state.CompareAndSwap(cellParked, cellRefused) {
		c.parker.Unpark()
	}
}
