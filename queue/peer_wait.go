package queue

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// peerWaiter is a queue whose calls may have to wait for a call of the other side that has stopped
// in its middle, and can give that wait up. The methods are TryEnqueue and TryDequeue, except that
// the wait ends when ctx does: then they have done nothing, and err is the cause of ctx.
//
// The loops repeat those of the methods that they resemble, so that these do not pay for a context.
type peerWaiter[T any] interface {
	enqueueUntil(ctx context.Context, v T) (ok bool, err error)
	dequeueUntil(ctx context.Context) (v T, ok bool, err error)
}

// waitPeer passes some time, or returns the cause of ctx if that has ended.
func waitPeer(ctx context.Context, b *backoff.Backoff) error {
	mustContext(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.Rest()
	return nil
}

// mustContext panics for a nil context. It is called where a call is about to wait.
func mustContext(ctx context.Context) {
	if ctx == nil {
		panic("queue: a nil context.Context; use context.Background() if there is none")
	}
}

func (q *MPMC[T]) enqueueUntil(ctx context.Context, v T) (ok bool, err error) {
	var b backoff.Backoff
	for {
		t := q.tail.Load()
		s := q.ring.at(t)
		if q.hints {
			prefetch.ForWrite(unsafe.Pointer(q.ring.at(t + q.ahead)))
		}
		switch turn := s.turn.Load(); { // L8
		case turn == toFill(t):
			if q.tail.CompareAndSwap(t, t+1) { // L1
				*s.value.ForWrite() = v
				s.turn.Store(toEmpty(t)) // L5
				return true, nil
			}
			b.Retry()
		case past(toFill(t), turn):
			if t-q.head.Load() == q.ring.size() { // L3
				return false, nil
			}
			if err := waitPeer(ctx, &b); err != nil {
				return false, err
			}
		}
	}
}

func (q *MPMC[T]) dequeueUntil(ctx context.Context) (v T, ok bool, err error) {
	var b backoff.Backoff
	for {
		h := q.head.Load()
		s := q.ring.at(h)
		if q.hints {
			prefetch.ForWrite(unsafe.Pointer(q.ring.at(h + q.ahead)))
		}
		switch turn := s.turn.Load(); { // L6
		case turn == toEmpty(h):
			if q.head.CompareAndSwap(h, h+1) { // L2
				v = *s.value.ForRead()
				s.value.Clear()
				s.turn.Store(toFill(h + q.ring.size())) // L7
				return v, true, nil
			}
			b.Retry()
		case past(toEmpty(h), turn):
			if q.tail.Load() == h { // L4
				return v, false, nil
			}
			if err := waitPeer(ctx, &b); err != nil {
				return v, false, err
			}
		}
	}
}

// enqueueUntil is TryEnqueue, which waits for no other call.
func (q *MPSC[T]) enqueueUntil(_ context.Context, v T) (ok bool, err error) {
	return q.TryEnqueue(v), nil
}

// dequeueUntil first waits for the producer of the oldest item. There is one consumer, so
// TryDequeue finds the slot as this call has left it.
func (q *MPSC[T]) dequeueUntil(ctx context.Context) (v T, ok bool, err error) {
	h := q.head.Load()
	s := q.ring.at(h)
	for b := (backoff.Backoff{}); s.turn.Load() != toEmpty(h) && q.tail.Load() != h; {
		if err := waitPeer(ctx, &b); err != nil {
			return v, false, err
		}
	}
	if s.turn.Load() != toEmpty(h) {
		return v, false, nil // tail was at h
	}
	v, ok = q.TryDequeue()
	return v, ok, nil
}

// enqueueUntil first waits for the consumer of the next slot. There is one producer, so TryEnqueue
// finds the slot as this call has left it.
func (q *SPMC[T]) enqueueUntil(ctx context.Context, v T) (ok bool, err error) {
	t := q.tail.Load()
	s := q.ring.at(t)
	for b := (backoff.Backoff{}); s.turn.Load() != toFill(t) && t-q.head.Load() != q.ring.size(); {
		if err := waitPeer(ctx, &b); err != nil {
			return false, err
		}
	}
	if s.turn.Load() != toFill(t) {
		return false, nil // head was a round behind t
	}
	return q.TryEnqueue(v), nil
}

// dequeueUntil is TryDequeue, which waits for no other call.
func (q *SPMC[T]) dequeueUntil(context.Context) (v T, ok bool, err error) {
	v, ok = q.TryDequeue()
	return v, ok, nil
}
