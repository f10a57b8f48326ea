package queue

import (
	"context"
	"iter"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     the synchronous queue of A. Filatov, Lecture 13: concurrent queues. That the surplus of one side over the other is kept, and
//             only that side waits: W. Scherer, D. Lea and M. Scott, Scalable synchronous queues, PPoPP 2006, whose one list of both
//             is a word and two rings here; that a cancelled entry is left for who is promised it, who then begins anew: N. Koval,
//             D. Khalanskiy and D. Alistarh, CQS, PLDI 2023
// Sketch:     Enqueue: balance--; was it above 0? take a cell out of asks and claim it; put the item into it, wake its dequeuer
//                      otherwise put a cell with the item into offers, and wait until it was claimed and the item taken
//                      ctx ended: CAS(cell: waits→withdrawn); if that fails, it is being claimed
//             Dequeue: the same with the signs and the rings exchanged
//             claim:   CAS(cell: waits→claimed); if the cell was withdrawn, begin anew
//             Close:   closed, and balance = 0; take the cells that were promised to nobody, CAS(cell: waits→refused), wake their owners
// Invariants: I1 balance, if it is not 0, less the number of those who were promised a cell of that side and have not taken one yet, is the
//             number of cells of that side which are in its ring or about to be put there, with the sign of that side. I2 a cell leaves
//             waits once, and becomes taken, withdrawn or refused; its item is the owner's but for a claim. NOT invariant: that there is
//             somebody if balance is not 0: all the cells may have been withdrawn. They stay until the other side comes by, at
//             most synchronousRoom of them.
// Progress:   not lock-free: who stalls between balance and its ring holds up the one that was promised its cell, or that promised it;
//             and see [MPMC]. Nobody else.
// Linearize:  both calls of a pair at the claim (L1); a withdrawal at its CAS (L2), or where balance is changed back (L3); Close at the
//             change of balance (L4), and ErrClosed there or when balance is read; Try… that finds nobody when balance is read
// Publish:    an offered item before its cell is put into the ring, read after L1; an item that was asked for between L1 and the
//             store of taken, or the token
// ABA/memory: a cell is used again when the other side has done with it, which is when it was taken or refused. Nothing is retained
//             but the empty cells of those who withdrew.
// Cost:       each call changes balance once, and puts one cell into a ring or takes one out; a pair has two more read-modify-writes for
//             the cell, and one and a token if its owner sleeps. Nothing is allocated in the long run.
// Checked by: TestSynchronous…, TestExploreSynchronous…

// Synchronous is a queue without room: a rendezvous. Enqueue returns when a Dequeue has the item, so both know that the other one was
// there at the same time. It replaces an unbuffered channel where contexts end the waiting and closing must be safe from both
// sides. Any goroutine may call any method.
//
// Enqueue and Dequeue wait for each other: they stay awake for a fraction of a microsecond and then sleep, and use no processor while
// they do. On both sides it is first come, first served, and nobody overtakes. A call whose context ends, or that Close ends, says
// which of the two happened: the item was handed over (nil), or the call had no effect (an error). Calls that find somebody do not
// look at the context.
//
// A Synchronous is made by [NewSynchronous] and not copied; calls that enqueue to the zero value or
// dequeue from it panic. What was handed over or withdrawn is not kept alive by the queue.
type Synchronous[T any] struct {
	_         pad.Line
	balance   balance
	_         pad.Line
	enqueuers synchronousSide[T] // of enqueuers
	dequeuers synchronousSide[T] // of dequeuers
}

// synchronousRoom is the room for cells of one side, and so for those that were withdrawn while nobody came by. Who finds no room waits
// for it as it would wait for the other side.
const synchronousRoom = 64

// NewSynchronous returns a queue at which nobody waits, open.
func NewSynchronous[T any]() *Synchronous[T] { return newSynchronous[T](synchronousRoom) }

// newSynchronous returns a queue with room for so many cells of each side.
func newSynchronous[T any](room int) *Synchronous[T] {
	s := &Synchronous[T]{}
	s.enqueuers.init(&s.balance, -balanceOne, room)
	s.dequeuers.init(&s.balance, balanceOne, room)
	return s
}

// TryEnqueue hands v over to a dequeuer that waits for an item, and reports whether there was one. It does not wait for one to come.
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

// TryDequeue takes the item of an enqueuer that waits, and reports whether there was one. It does not wait for one to come.
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

// Enqueue hands v over, and waits until a dequeuer takes it. It returns nil if one has. Otherwise nobody has and nobody will: it returns
// [ErrClosed] if the queue is closed, or the cause of ctx if that ended while the call waited.
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

// Dequeue takes an item from an enqueuer, and waits for one to come. It returns [ErrClosed] if the queue is closed, or the cause of ctx
// if that ended while the call waited; then it has taken nothing.
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

// All returns the items that Dequeue would return, one after another, until that would be an error: the queue is closed, or ctx
// has ended, which ctx.Err tells.
func (s *Synchronous[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, err := s.Dequeue(ctx)
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// Close ends all calls that wait, now and later: they return [ErrClosed], unless they have met already. There is nothing that could
// be left in the queue. Close waits for nobody but calls that are about to wait, and may be called again.
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
