package queue

import (
	"context"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     the synchronous queue of A. Filatov, Lecture 13: concurrent queues. That the surplus
//             of one side over the other is kept, and only that side waits: W. Scherer, D. Lea and
//             M. Scott, Scalable synchronous queues, PPoPP 2006, whose one list of both sides is a
//             word and two rings here. That a cancelled cell is left for the peer it is promised
//             to, which then begins anew: N. Koval, D. Khalanskiy and D. Alistarh, CQS, PLDI 2023
// Sketch:     Enqueue: balance--; was it above 0? take a dequeuer's cell out of its ring, claim
//                        it, put the item into it, wake the dequeuer
//                      otherwise put a cell with the item into the enqueuers' ring, and wait until
//                        a dequeuer has claimed it and taken the item
//                        ctx ended: CAS(cell: waiting→cancelled); if that fails, a dequeuer is
//                        claiming it
//             Dequeue: the same with the signs and the rings exchanged
//             claim:   CAS(cell: waiting→claimed); if the cell was cancelled, begin anew
//             Close:   closed, and balance = 0; take the cells that were promised to no call,
//                      CAS(cell: waiting→refused), wake their owners
// Invariants: I1 If balance is not 0, it counts the cells of one side that are in that side's ring
//                or about to be put there, less those that are promised to a call of the other side
//                that has not taken its cell yet. Its sign says which side.
//             I2 A cell leaves waiting once, and becomes fulfilled, cancelled or refused. Its item
//                is the owner's except during a claim.
//             NOT invariant: that a goroutine waits if balance is not 0. All the cells may have
//                been cancelled. They stay until the other side comes by, at most synchronousRoom
//                of them.
// Progress:   not lock-free: a call that stalls between balance and its ring delays the call that
//             was promised its cell, or that promised it; and see [MPMC]. It delays no other.
// Linearize:  both calls of a pair at the claim (L1); a cancellation at its CAS (L2), or where
//             balance is changed back (L3); Close at the change of balance (L4), and ErrClosed
//             there or when balance is read; a Try… without a peer when balance is read
// Publish:    an enqueuer's item before its cell is put into the ring, read after L1; an item for a
//             dequeuer between L1 and the store of fulfilled, or the token
// ABA/memory: a cell is used again when the other side has done with it: when it was fulfilled or
//             refused. Nothing is retained but the empty cells of cancelled calls.
// Cost:       each call changes balance once, and puts one cell into a ring or takes one out. A
//             pair has two more read-modify-writes for the cell, and one more and a token if its
//             owner is parked. In the long run nothing is allocated.
// Checked by: TestSynchronous…, TestExploreSynchronous…

// Synchronous is a queue without room: a rendezvous. Enqueue returns when a Dequeue has the item,
// so both know that the other was there at the same time. It replaces an unbuffered channel where
// contexts end the waiting and where either side may close it. Any goroutine may call any method.
//
// Enqueue and Dequeue wait for each other: they spin for a fraction of a microsecond and then park,
// and use no processor while they are parked. Both sides are first come, first served, and no call
// overtakes another. A call whose context ends, or that Close ends, says which of the two happened:
// the item was handed over (nil), or the call had no effect (an error). A call that finds a peer
// does not look at the context.
//
// A Synchronous is made by [NewSynchronous] and not copied; calls that enqueue to the zero value or
// dequeue from it panic. The queue keeps no item alive that was handed over or withdrawn.
type Synchronous[T any] struct {
	_         pad.Line
	balance   balance
	_         pad.Line
	enqueuers synchronousSide[T]
	dequeuers synchronousSide[T]
}

// synchronousRoom is the room for cells of one side, and so for cancelled cells that no peer has
// come by to drop. A call that finds no room waits for room as it would wait for a peer.
const synchronousRoom = 64

// NewSynchronous returns a queue without waiters, open.
func NewSynchronous[T any]() *Synchronous[T] { return newSynchronous[T](synchronousRoom) }

// newSynchronous returns a queue with room for room cells of each side.
func newSynchronous[T any](room int) *Synchronous[T] {
	s := &Synchronous[T]{}
	s.enqueuers.init(&s.balance, -balanceOne, room)
	s.dequeuers.init(&s.balance, balanceOne, room)
	return s
}

// TryEnqueue hands v over to a dequeuer that waits for an item, and reports whether there was one.
// It does not wait for one to come.
func (s *Synchronous[T]) TryEnqueue(v T) bool {
	for s.enqueuers.join(true) == matchPeer {
		if c := s.dequeuers.claim(); c != nil {
			c.item.Set(v)
			c.fulfill()
			return true
		}
	}
	return false
}

// TryDequeue takes the item of an enqueuer that waits, and reports whether there was one. It does
// not wait for one to come.
func (s *Synchronous[T]) TryDequeue() (v T, ok bool) {
	for s.dequeuers.join(true) == matchPeer {
		if c := s.enqueuers.claim(); c != nil {
			v = c.item.Take()
			c.fulfill()
			return v, true
		}
	}
	return v, false
}

// Enqueue hands v over, and waits until a dequeuer takes it. It returns nil if a dequeuer has taken
// v. Otherwise none has and none will, and the error says why: [ErrClosed] if the queue is closed,
// or the cause of ctx if that ended while the call waited.
func (s *Synchronous[T]) Enqueue(ctx context.Context, v T) error {
	mustContext(ctx) // before the call is counted: the other side would wait for it
	for {
		switch s.enqueuers.join(false) {
		case matchPeer:
			if c := s.dequeuers.claim(); c != nil {
				c.item.Set(v)
				c.fulfill()
				return nil
			}
		case matchNone:
			c := s.enqueuers.newCell()
			c.item.Set(v)
			err := s.enqueuers.await(ctx, c)
			if err != nil {
				c.item.Clear()
			}
			s.enqueuers.free(c)
			return err
		default:
			return ErrClosed
		}
	}
}

// Dequeue takes an item from an enqueuer, and waits for one to come. It returns [ErrClosed] if the
// queue is closed, or the cause of ctx if that ended while the call waited; then it has taken
// nothing.
func (s *Synchronous[T]) Dequeue(ctx context.Context) (v T, err error) {
	mustContext(ctx) // before the call is counted: the other side would wait for it
	for {
		switch s.dequeuers.join(false) {
		case matchPeer:
			if c := s.enqueuers.claim(); c != nil {
				v = c.item.Take()
				c.fulfill()
				return v, nil
			}
		case matchNone:
			c := s.dequeuers.newCell()
			if err = s.dequeuers.await(ctx, c); err == nil {
				v = c.item.Take()
			}
			s.dequeuers.free(c)
			return v, err
		default:
			return v, ErrClosed
		}
	}
}

// Close ends all calls that wait, now and later: they return [ErrClosed], unless they have already
// met a peer. Nothing is ever left in the queue. Close waits only for calls that are about to wait,
// and may be called again.
func (s *Synchronous[T]) Close() {
	cells := s.balance.close() // L4
	s.enqueuers.notFull.broadcast()
	s.dequeuers.notFull.broadcast()
	for ; cells > 0; cells-- {
		s.dequeuers.refuse()
	}
	for ; cells < 0; cells++ {
		s.enqueuers.refuse()
	}
}

// Closed reports whether Close has been called.
func (s *Synchronous[T]) Closed() bool { return s.balance.closed() }
