package queue

import (
	"context"
	"errors"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// ErrClosed is the error of a queue after Close: Enqueue always returns it, Dequeue once the queue
// is empty.
var ErrClosed = errors.New("queue: closed")

// NonBlocking is a queue whose calls wait neither for an item nor for room: every queue of this
// package that has both ends in one value, or one of your own.
//
// TryEnqueue adds v and reports true, or reports false if the queue was full. TryDequeue removes
// and returns the next item, or reports false if the queue was empty. Each answer must have been
// true at one instant of the call, where calls under way may count as having filled the queue. The
// calls must touch shared memory by sync/atomic or under locks.
type NonBlocking[T any] interface {
	TryEnqueue(v T) bool
	TryDequeue() (v T, ok bool)
}

// Source:     the ways to call, total, partial and synchronous, are those of A. Filatov, Lecture
//             13: concurrent queues. Ours: how goroutines wait (see waitQueue), and how a closed
//             queue knows of the calls in flight (see inFlight)
// Sketch:     Enqueue: begin; closed? end, ErrClosed
//                      ok := q.TryEnqueue; end; ok and a dequeuer waits? signal notEmpty
//                      full: spin a little; join notFull; all of the above again; park; again …
//             Dequeue: q.TryDequeue; ok and an enqueuer waits? signal notFull
//                      empty, closed, no Enqueue in flight? TryDequeue again; if empty, ErrClosed
//                      empty: spin a little; join notEmpty; all of the above again; park; again …
//             Close:   closed = true; broadcast to both
// Invariants: I1 While a dequeuer waits after its second look, there are at most as many items as
//             signals on their way to dequeuers. A signal is on its way from an enqueuer that has
//             enqueued and not signaled yet, or to a dequeuer that was signaled and has not looked
//             yet.
//             I2 The same holds for enqueuers and room.
//             I3 Once closed is true and no Enqueue is in flight, nothing is added.
//             NOT invariant: that the first waiter gets the next item. A goroutine that does not
//                wait may come first; a waiter that was woken in vain then waits again, in front of
//                all that were not woken.
// Progress:   TryEnqueue, TryDequeue and Close, and Enqueue and Dequeue when they find room or an
//             item: as q's own calls, and otherwise lock-free. A Dequeue that finds the queue
//             closed and empty waits for the Enqueue calls in flight.
// Linearize:  an item at q's own points; Close at L1; ErrClosed of Enqueue at L2, of Dequeue at the
//             failed TryDequeue L3, when I3 holds
// Publish:    nothing of its own: a waiter joins before its second look; an item (or room) is there
//             before the look at anyWaiting
// ABA/memory: see waitQueue
// Cost:       Dequeue beside q's own: one load. Enqueue: two loads, and two read-modify-writes on a
//             line of the processor's own: so that Close loses no item, a Dequeue must know which
//             Enqueue calls have looked at closed and not ended yet; a load alone would not tell
//             it. In the long run nothing is allocated, not even by calls that wait.
// Checked by: TestWaiting…, TestExploreWaiting…

// Blocking is the waiting form of a queue: its Enqueue waits while the queue is full, its Dequeue
// while it is empty, until the context ends or the queue is closed. It wraps any [NonBlocking].
//
// The roles are those of the queue inside: Enqueue and TryEnqueue are calls of a producer, and call
// only its TryEnqueue; Dequeue, TryDequeue and All are calls of a consumer, and call only its
// TryDequeue. So around an [SPSC] one goroutine may enqueue and one dequeue. Any goroutine may call
// Close. The queue inside may also be used directly, but such calls wake no waiter.
//
// # Waiting
//
// A call that has to wait spins for a fraction of a microsecond and then parks; it uses no
// processor while it is parked. One item wakes one goroutine, and so does one place that becomes
// free. Waiters are woken first come, first served. A call that does not have to park may overtake
// them; a waiter that was woken in vain goes before those that were not woken. If a context ends
// while a wake-up is on its way, another waiter gets the wake-up. Calls that need not wait do not
// look at the context.
//
// Around an [MPMC], [MPSC] or [SPMC] a call may have to wait, spinning, for a call of the other
// side that was stopped in its middle. A context ends that wait of Enqueue and Dequeue too.
// TryEnqueue and TryDequeue have no context, and wait there as those of the queue inside do. If a
// queue of another package waits in its Try… methods, a context does not end that wait.
//
// # Closing
//
// Items that were enqueued before Close are delivered, and then every Dequeue returns [ErrClosed].
// So does every Enqueue that begins after Close. An Enqueue concurrent with Close says what
// happened: nil means that the item is delivered, provided that goroutines dequeue until ErrClosed;
// ErrClosed means that it is not in the queue.
//
// A Blocking is made by [NewBlocking] and must not be copied; calls that enqueue to the zero value
// or dequeue from it panic. The calls that find what they need are lock-free if those of the queue
// inside are.
type Blocking[T any] struct {
	q          NonBlocking[T]
	peerWaiter peerWaiter[T] // q, if its calls may wait for a peer; otherwise nil
	enqueues   inFlight
	_          pad.Line
	closed     atomics.Bool
	notEmpty   waitQueue // dequeuers
	_          pad.Line
	notFull    waitQueue // enqueuers
	_          pad.Line
}

// NewBlocking returns the waiting form of q, open. It panics if q is nil.
func NewBlocking[T any](q NonBlocking[T]) *Blocking[T] {
	if q == nil {
		panic("queue: NewBlocking of no queue")
	}
	w := &Blocking[T]{q: q, enqueues: newInFlight()}
	w.peerWaiter, _ = q.(peerWaiter[T])
	return w
}

// zeroBlocking is the text with which calls of the zero Blocking panic.
const zeroBlocking = "queue: a zero Blocking; make it with NewBlocking"

// mustBeMade panics if w is the zero value.
func (w *Blocking[T]) mustBeMade() {
	if w.q == nil {
		panic(zeroBlocking)
	}
}

// noWait is the context of TryEnqueue, which has none: it does not wait for room, and waits for a
// peer exactly where the queue inside does.
var noWait context.Context

// TryEnqueue adds v unless the queue is full or closed, and reports whether it did. It never waits
// for room. A producer's call.
func (w *Blocking[T]) TryEnqueue(v T) bool {
	ok, _ := w.enqueueOnce(noWait, v)
	return ok
}

// TryDequeue removes and returns the next item, or reports false if the queue was empty, closed or
// not. It never waits for an item. A consumer's call.
func (w *Blocking[T]) TryDequeue() (v T, ok bool) {
	w.mustBeMade()
	v, ok = w.q.TryDequeue()
	w.taken(ok)
	return v, ok
}

// taken wakes an enqueuer if an item was taken.
func (w *Blocking[T]) taken(ok bool) {
	if ok && w.notFull.anyWaiting() {
		w.notFull.signal()
	}
}

// tryDequeue is TryDequeue, except that its wait for a peer ends with ctx, whose cause it returns
// then.
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

// Enqueue adds v, and waits for room while the queue is full. It returns nil once v is in the
// queue. Otherwise v is not in it, and the error says why: [ErrClosed] if the queue is closed, or
// the cause of ctx if that ended while the call had to wait. A producer's call.
func (w *Blocking[T]) Enqueue(ctx context.Context, v T) error {
	if ok, err := w.enqueueOnce(ctx, v); ok || err != nil {
		return err
	}
	return w.enqueueSlow(ctx, v)
}

// Dequeue removes and returns the next item, and waits for one while the queue is empty. It returns
// [ErrClosed] if the queue is closed and nothing is left in it, or the cause of ctx if that ended
// while the call had to wait; then it has taken nothing. A consumer's call.
func (w *Blocking[T]) Dequeue(ctx context.Context) (v T, err error) {
	if v, ok, err := w.tryDequeue(ctx); ok || err != nil {
		return v, err
	}
	return w.dequeueSlow(ctx)
}

// Close refuses everything that is enqueued from now on, and wakes all waiters. It does not wait. A
// closed queue stays closed, and may be closed again. Any goroutine.
func (w *Blocking[T]) Close() {
	w.closed.Store(true) // L1
	w.notFull.broadcast()
	w.notEmpty.broadcast()
}

// Closed reports whether Close has been called. Any goroutine.
func (w *Blocking[T]) Closed() bool { return w.closed.Load() }

// enqueueOnce is one attempt to enqueue. The call is done if ok is true or there is an error. ctx
// is nil for a call that has none.
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
	// A dequeuer is woken for the item; or if the queue is closed, to learn that this call is no
	// longer in flight.
	if w.notEmpty.anyWaiting() && (ok || w.closed.Load()) {
		w.notEmpty.signal()
	}
	return ok, err
}

// dequeueOnce is one attempt to dequeue. The call is done if ok is true or there is an error.
func (w *Blocking[T]) dequeueOnce(ctx context.Context) (v T, ok bool, err error) {
	if v, ok, err = w.tryDequeue(ctx); ok || err != nil || !w.closed.Load() || !w.enqueues.none() {
		return v, ok, err
	}
	if v, ok, err = w.tryDequeue(ctx); !ok && err == nil { // L3
		err = ErrClosed
	}
	return v, ok, err
}

// enqueueSlow is Enqueue of a queue that was full. It propagates signals: places may have become
// free while a call under way still blocked them, and the one signal that comes when that call ends
// stands for all of them.
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
