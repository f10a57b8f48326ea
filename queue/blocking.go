package queue

import (
	"context"
	"errors"
	"iter"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// ErrClosed is what a queue that can be closed returns after Close: Enqueue always, Dequeue once nothing is left.
var ErrClosed = errors.New("queue: closed")

// NonBlocking is a queue whose calls never wait: every queue of this package that has both ends in one value, or one of your own.
//
// TryEnqueue adds v and reports true, or reports false if the queue was full. TryDequeue removes and returns the next item, or
// reports false if the queue was empty. Each of the answers must have been true at one instant of the call, where calls in
// progress may count as having filled the queue; and the calls must touch shared memory by sync/atomic or under locks.
type NonBlocking[T any] interface {
	TryEnqueue(v T) bool
	TryDequeue() (v T, ok bool)
}

// Source:     the three ways to call are those of A. Filatov, Lecture 13: concurrent queues. Ours: how they are waited for (see waitQueue), and
//             what is known of those in flight when the queue is closed (see inFlight)
// Sketch:     Enqueue: begin; closed? end, ErrClosed;  ok := q.TryEnqueue; end;  ok and a dequeuer stands? call one
//                      full: spin a little; join enqueuers; all of the above again; sleep until called; again …
//             Dequeue: q.TryDequeue; got one and an enqueuer stands? call one
//                      empty, closed, and no Enqueue in flight? TryDequeue once more; ErrClosed if there is nothing
//                      empty: spin a little; join dequeuers; all of the above again; sleep until called; again …
//             Close:   closed = true; call everyone
// Invariants: I1 while a dequeuer stands that has looked again, there are no more items than calls on their way to dequeuers: from those
//             who have enqueued and not called yet, and to those who were called and have not looked yet. I2 the same of enqueuers
//             and room. I3 once closed is true and no Enqueue is in flight, nothing is added. NOT invariant: that the first who
//             stands gets the next item: a goroutine that does not stand may come first; then the one that was called in vain
//             stands again, in front of all who were not.
// Progress:   TryEnqueue, TryDequeue, Close, and Enqueue and Dequeue when they find room or an item, as q's own calls, and otherwise
//             lock-free. A Dequeue that finds the queue closed and empty waits for the Enqueue calls in flight.
// Linearize:  an item at q's own points; Close at L1; ErrClosed of Enqueue at L2, of Dequeue at the failed TryDequeue L3, when I3 holds
// Publish:    nothing of its own: join before the second look, item (or room) before the look at anyWaiting
// ABA/memory: see waiters
// Cost:       Dequeue beside q's own: one load. Enqueue: two loads, and two read-modify-writes on a line of the processor's own: a
//             close that loses nothing has to know who is between the look at closed and the item, and a load tells
//             nobody. Nothing is allocated, in the long run not even by calls that wait.
// Checked by: TestWaiting…, TestExploreWaiting…

// Blocking makes any total queue a partial one: its Enqueue waits while the queue is full, its Dequeue while it is empty, until the
// context ends or the queue is closed. It is the blocking form of every queue of this package.
//
// Who may call what is as with the queue inside: Enqueue and TryEnqueue are calls of a producer, and call only its TryEnqueue; Dequeue,
// TryDequeue and All are calls of a consumer, and call only its TryDequeue. So around an [SPSC] one goroutine may enqueue
// and one dequeue. Close is for anybody. The queue inside may also be used directly, but such calls wake nobody.
//
// # Waiting
//
// A call that has to wait stays awake for a fraction of a microsecond and then sleeps; it uses no processor while it does. One item wakes one
// goroutine, one place that becomes free likewise. Those who sleep are woken first come, first served. A call that does not
// sleep may overtake them; one who was woken in vain goes before those who were not. A context that ends while a
// wake-up is on its way costs nobody else the wake-up. Calls that need not wait do not look at the context.
//
// Around an [MPMC], [MPSC] or [SPMC] a call may have to wait for one of the other side that was stopped in its middle, awake. A context ends that wait of Enqueue
// and Dequeue too. TryEnqueue and TryDequeue have no context, and wait there as those of the queue inside do. A queue of another package that waits
// in its Try… methods keeps the context from being seen.
//
// # Closing
//
// What was enqueued before Close is delivered, and then every Dequeue returns [ErrClosed]; so does every Enqueue that begins after
// Close. Of an Enqueue beside Close either is true, as its answer says: nil, and the item is delivered to whoever dequeues until
// ErrClosed, or ErrClosed, and it is not in the queue.
//
// A Blocking is made by [NewBlocking]; calls that enqueue to the zero value or dequeue from it panic.
// It must not be copied. The calls that find what they need are lock-free if those of the queue
// inside are.
type Blocking[T any] struct {
	q          NonBlocking[T]
	peerWaiter peerWaiter[T] // q, if its calls may wait for one of the other side; otherwise nil
	enqueues   inFlight
	_          pad.Line
	closed     atomics.Bool
	notEmpty   waitQueue // stand for items
	_          pad.Line
	notFull    waitQueue // stand for room
	_          pad.Line
}

// NewBlocking returns the waiting form of q, open.
func NewBlocking[T any](q NonBlocking[T]) *Blocking[T] {
	if q == nil {
		panic("queue: NewBlocking of no queue")
	}
	w := &Blocking[T]{q: q, enqueues: newInFlight()}
	w.peerWaiter, _ = q.(peerWaiter[T])
	return w
}

// zeroBlocking is what calls of the zero Blocking panic with.
const zeroBlocking = "queue: a zero Blocking; make it with NewBlocking"

// mustBeMade panics if w is the zero value.
func (w *Blocking[T]) mustBeMade() {
	if w.q == nil {
		panic(zeroBlocking)
	}
}

// noWait is the context of calls that do not wait, also not for a peer that has stopped in mid-call.
var noWait context.Context

// TryEnqueue adds v unless the queue is full or closed, and reports whether it did. It never waits for room. A producer's call.
func (w *Blocking[T]) TryEnqueue(v T) bool {
	ok, _ := w.enqueueOnce(noWait, v)
	return ok
}

// TryDequeue removes and returns the next item, or reports false if the queue was empty, closed or not. It never waits for an item. A consumer's
// call.
func (w *Blocking[T]) TryDequeue() (v T, ok bool) {
	w.mustBeMade()
	v, ok = w.q.TryDequeue()
	w.taken(ok)
	return v, ok
}

// taken calls one who stands for room, if an item was taken.
func (w *Blocking[T]) taken(ok bool) {
	if ok && w.notFull.anyWaiting() {
		w.notFull.signal()
	}
}

// tryDequeue is TryDequeue, and ends with the cause of ctx rather than wait beyond it for a call of the other side.
func (w *Blocking[T]) tryDequeue(ctx context.Context) (v T, ok bool, err error) {
	if w.peerWaiter == nil {
		w.mustBeMade()
		v, ok = w.q.TryDequeue()
	} else {
		v, ok, err = w.peerWaiter.dequeueUntil(ctx)
	}
	w.taken(ok)
	return v, ok, err
}

// Enqueue adds v, and waits for room while the queue is full. It returns nil once v is in the queue. Otherwise v is not: it returns
// [ErrClosed] if the queue is closed, or the cause of ctx if that ended while the call had to wait. A producer's call.
func (w *Blocking[T]) Enqueue(ctx context.Context, v T) error {
	if ok, err := w.enqueueOnce(ctx, v); ok || err != nil {
		return err
	}
	return w.enqueueSlow(ctx, v)
}

// Dequeue removes and returns the next item, and waits for one while the queue is empty. It returns [ErrClosed] if the queue is closed
// and nothing is left in it, or the cause of ctx if that ended while the call had to wait; then it has taken nothing. A
// consumer's call.
func (w *Blocking[T]) Dequeue(ctx context.Context) (v T, err error) {
	if v, ok, err := w.tryDequeue(ctx); ok || err != nil {
		return v, err
	}
	return w.dequeueSlow(ctx)
}

// All returns the items that Dequeue would return, one after another, until that would be an error: the queue is closed and
// empty, or ctx has ended, which ctx.Err tells. A consumer's call, and so is each step of the loop.
func (w *Blocking[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, err := w.Dequeue(ctx)
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// Close refuses all that is enqueued from now on, and wakes whoever waits in vain. It does not wait. A queue that is closed
// stays closed, and may be closed again. Any goroutine.
func (w *Blocking[T]) Close() {
	w.closed.Store(true) // L1
	w.notFull.broadcast()
	w.notEmpty.broadcast()
}

// Closed reports whether Close has been called. Any goroutine.
func (w *Blocking[T]) Closed() bool { return w.closed.Load() }

// enqueueOnce is one attempt to enqueue: it is done if there is an error or ok is true. ctx is nil for a call that has none.
func (w *Blocking[T]) enqueueOnce(ctx context.Context, v T) (ok bool, err error) {
	line := w.enqueues.begin()
	switch {
	case w.closed.Load(): // L2
		err = ErrClosed
	case w.peerWaiter == nil || ctx == nil:
		ok = w.q.TryEnqueue(v)
	default:
		ok, err = w.peerWaiter.enqueueUntil(ctx, v)
	}
	w.enqueues.end(line)
	// Who stands is called for the item; and if the queue is closed, to learn that this call is no longer in flight.
	if w.notEmpty.anyWaiting() && (ok || w.closed.Load()) {
		w.notEmpty.signal()
	}
	return ok, err
}

// dequeueOnce is one attempt to dequeue: it is done if there is an error or ok is true.
func (w *Blocking[T]) dequeueOnce(ctx context.Context) (v T, ok bool, err error) {
	if v, ok, err = w.tryDequeue(ctx); ok || err != nil || !w.closed.Load() || !w.enqueues.none() {
		return v, ok, err
	}
	if v, ok, err = w.tryDequeue(ctx); !ok && err == nil { // L3
		err = ErrClosed
	}
	return v, ok, err
}

// enqueueSlow is Enqueue of a queue that was full. It relays calls: places may have become free while a call in progress still blocked
// them, and the call which comes when that one ends stands for all of them.
func (w *Blocking[T]) enqueueSlow(ctx context.Context, v T) error {
	var refused error
	err := w.notFull.await(ctx, true, func() (over bool) {
		over, refused = w.enqueueOnce(ctx, v)
		return over || refused != nil
	})
	if err == nil {
		err = refused
	}
	return err
}

// dequeueSlow is Dequeue of a queue that was empty.
func (w *Blocking[T]) dequeueSlow(ctx context.Context) (v T, err error) {
	var refused error
	err = w.notEmpty.await(ctx, false, func() (over bool) {
		v, over, refused = w.dequeueOnce(ctx)
		return over || refused != nil
	})
	if err == nil {
		err = refused
	}
	return v, err
}
