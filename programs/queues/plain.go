package queues

import (
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// channel is a buffered channel, the queue of most Go programs.
func channel[T Item](programs.Values) Line[T] {
	c := make(chan T, capacity)
	return Line[T]{
		producer: func() (func(T), func()) { return func(v T) { c <- v }, nil },
		consumer: func() func() (T, bool) {
			return func() (T, bool) {
				v, ok := <-c
				return v, ok
			}
		},
		patient: true,
		end:     func() { close(c) },
	}
}

// lockedRing is a ring buffer under a mutex.
type lockedRing[T any] struct {
	mu         sync.Mutex
	head, tail uint64
	items      [capacity]T
}

func (q *lockedRing[T]) TryEnqueue(v T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tail-q.head == capacity {
		return false
	}
	q.items[q.tail%capacity] = v
	q.tail++
	return true
}

func (q *lockedRing[T]) TryDequeue() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == q.tail {
		return v, false
	}
	at := &q.items[q.head%capacity]
	v = *at
	var zero T
	*at = zero
	q.head++
	return v, true
}

func locked[T Item](programs.Values) Line[T] { return nonBlockingLine[T](new(lockedRing[T])) }
