package queue

import "github.com/freerun-go/freerun/internal/michaelscott"

// UnboundedMPMC is a first-in-first-out queue without bound, for any number of producers and
// consumers. Any goroutine may call any method.
//
// The zero value is an empty queue. It must not be copied after first use. No method waits, and all
// are lock-free: whatever other calls do, some call completes. The queue is linearizable.
//
// In steady state nothing is allocated, because nodes are used again: there are at most as many as
// there once were values at the same time, 18 more for each processor, and 16. The queue does not
// give them back; to be rid of them, drop a queue that was once very long. A value is gone from its
// node once it is dequeued.
//
// Enqueue costs two to three atomic read-modify-writes, TryDequeue one to two. T may be of any
// size, but values are copied while the goroutine cannot be preempted, so values of more than some
// hundred bytes are better enqueued by pointer.
type UnboundedMPMC[T any] struct {
	queue michaelscott.UnboundedMPMC[T]
}

// Enqueue adds v as the last value. It is lock-free.
func (q *UnboundedMPMC[T]) Enqueue(v T) { q.queue.Enqueue(v) }

// TryEnqueue is Enqueue, and returns true: there is always room.
func (q *UnboundedMPMC[T]) TryEnqueue(v T) bool {
	q.queue.Enqueue(v)
	return true
}

// TryDequeue removes and returns the oldest value. If ok is false, there was no value at some
// instant of the call. It is lock-free.
func (q *UnboundedMPMC[T]) TryDequeue() (v T, ok bool) { return q.queue.TryDequeue() }

// Len returns how many values there were at some instant of the call. It is lock-free, and costs
// about as much as the other methods.
func (q *UnboundedMPMC[T]) Len() int { return q.queue.Len() }
