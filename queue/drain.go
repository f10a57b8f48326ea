package queue

import (
	"context"
	"iter"
)

// Drain returns the items of a queue, one after another, until the queue is empty: for v := range
// Drain(q) is a loop over the items of q. It takes each item out before the loop sees it, and the
// body may use the queue. q is any queue of this package, or a consumer of one. The loop calls its
// TryDequeue, so the rules for callers of TryDequeue hold for the loop.
func Drain[T any](q interface{ TryDequeue() (v T, ok bool) }) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			if v, ok := q.TryDequeue(); !ok || !yield(v) {
				return
			}
		}
	}
}

// All returns the items that q.Dequeue would return, one after another, until Dequeue would return
// an error: the queue is closed and has no more, or ctx has ended, which ctx.Err tells. q is a
// [Blocking] or a [Synchronous]. All is a consumer's call, and so is each step of the loop.
func All[T any](ctx context.Context, q interface {
	Dequeue(ctx context.Context) (v T, err error)
},
) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			if v, err := q.Dequeue(ctx); err != nil || !yield(v) {
				return
			}
		}
	}
}
