package queues

import (
	"context"
	"errors"

	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/queue"
)

// attempts are the methods of a queue whose calls wait neither for an item nor for room.
type attempts[T any] interface {
	TryEnqueue(v T) bool
	TryDequeue() (T, bool)
}

// persistent returns a producer's function that enqueues into a queue that may be full: it tries
// until the queue has room.
func persistent[T Item](try func(T) bool) func(T) {
	p := new(struct {
		_ pad.Line // two producers write to no common cache line
		pause
		_ pad.Line
	})
	p.pause = newPause()
	return func(v T) {
		if !try(v) {
			for p.miss(); !try(v); p.miss() {
			}
			p.hit()
		}
	}
}

// nonBlockingLine returns the line of a queue that all producers and all consumers use alike.
func nonBlockingLine[T Item](q attempts[T]) Line[T] {
	return Line[T]{
		producer: func() (func(T), func()) { return persistent(q.TryEnqueue), nil },
		consumer: func() func() (T, bool) { return q.TryDequeue },
	}
}

// NonBlocking returns a queue whose calls do not wait, which the constructor makes. Queues without
// bound ignore the capacity.
func NonBlocking[T Item, Q attempts[T]](make func(capacity int) Q) Measured[T] {
	return func(programs.Values) Line[T] { return nonBlockingLine[T](make(capacity)) }
}

// unbounded measures a queue whose zero value is ready.
func unbounded[T Item, Q any, P interface {
	*Q
	attempts[T]
}](programs.Values) Line[T] {
	return nonBlockingLine[T](P(new(Q)))
}

func stack[T Item](programs.Values) Line[T] {
	var s queue.Stack[T]
	return Line[T]{
		producer: func() (func(T), func()) { return s.Push, nil },
		consumer: func() func() (T, bool) { return s.TryPop },
	}
}

func waiting[T Item](programs.Values) Line[T] {
	q := queue.NewBlocking(queue.NewMPMC[T](capacity))
	ctx := context.Background()
	return Line[T]{
		producer: func() (func(T), func()) {
			return func(v T) {
				if err := q.Enqueue(ctx, v); err != nil {
					panic(err) // the queue is closed only after all items are enqueued
				}
			}, nil
		},
		consumer: func() func() (T, bool) {
			return func() (T, bool) {
				v, err := q.Dequeue(ctx)
				if err != nil && !errors.Is(err, queue.ErrClosed) {
					panic(err) // ctx does not end
				}
				return v, err == nil
			}
		},
		patient: true,
		end:     q.Close,
	}
}

func fanIn[T Item](programs.Values) Line[T] {
	q := queue.NewFanIn[T](capacity)
	return Line[T]{
		producer: func() (func(T), func()) {
			p := q.Register()
			return persistent(p.TryEnqueue), p.Deregister
		},
		consumer: func() func() (T, bool) { return q.TryDequeue },
	}
}

func fanOut[T Item](programs.Values) Line[T] {
	q := queue.NewFanOut[T](capacity)
	return Line[T]{
		producer: func() (func(T), func()) { return persistent(q.TryEnqueue), nil },
		consumer: func() func() (T, bool) { return q.Register().TryDequeue },
	}
}
