package queues

import (
	"context"
	"errors"
	"runtime"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/queue"
)

// attempts are the methods that all total queues have.
type attempts[T any] interface {
	TryEnqueue(v T) bool
	TryDequeue() (T, bool)
}

// persistent returns a function that enqueues into a queue that may be full: it tries until the
// queue has room.
func persistent[T item](try func(T) bool) func(T) {
	return func(v T) {
		for !try(v) {
			runtime.Gosched()
		}
	}
}

// totalLine returns the line of a queue that all producers and all consumers use alike.
func totalLine[T item](q attempts[T]) line[T] {
	return line[T]{
		producer: func() (func(T), func()) { return persistent(q.TryEnqueue), nil },
		consumer: func() func() (T, bool) { return q.TryDequeue },
	}
}

// total measures a bounded queue that a constructor makes.
func total[T item, Q attempts[T]](make func(capacity int) Q) measured[T] {
	return func(programs.Values) line[T] { return totalLine[T](make(capacity)) }
}

// unbounded measures a queue whose zero value is ready.
func unbounded[T item, Q any, P interface {
	*Q
	attempts[T]
}](programs.Values) line[T] {
	return totalLine[T](P(new(Q)))
}

func stack[T item](programs.Values) line[T] {
	var s queue.Stack[T]
	return line[T]{
		producer: func() (func(T), func()) { return s.Push, nil },
		consumer: func() func() (T, bool) { return s.TryPop },
	}
}

func waiting[T item](programs.Values) line[T] {
	q := queue.NewBlocking(queue.NewMPMC[T](capacity))
	ctx := context.Background()
	return line[T]{
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

func fanIn[T item](programs.Values) line[T] {
	q := queue.NewFanIn[T](capacity)
	return line[T]{
		producer: func() (func(T), func()) {
			p := q.Register()
			return persistent(p.TryEnqueue), p.Deregister
		},
		consumer: func() func() (T, bool) { return q.TryDequeue },
	}
}

func fanOut[T item](programs.Values) line[T] {
	q := queue.NewFanOut[T](capacity)
	return line[T]{
		producer: func() (func(T), func()) { return persistent(q.TryEnqueue), nil },
		consumer: func() func() (T, bool) { return q.Register().TryDequeue },
	}
}
