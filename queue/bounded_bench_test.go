package queue_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/queue"
)

// BenchmarkBounded compares the bounded queues with a buffered channel of the same capacity, all
// driven in the same way: a goroutine that finds the queue full or empty lets others run. "alone"
// is one goroutine that enqueues and dequeues in turns; the other names give the numbers of
// producers and consumers. ns per item, which is one of each call.
//
// The loops are generic in the queue, so that the calls are those of any other code: not inlined,
// for all alike.
func BenchmarkBounded(b *testing.B) {
	b.Run("8B", func(b *testing.B) { benchmarkBounded(b, func(i int) int { return i }) })
	b.Run("64B", func(b *testing.B) { benchmarkBounded(b, func(i int) [8]int { return [8]int{i} }) })
}

const benchCapacity = 1024

func benchmarkBounded[T any](b *testing.B, item func(i int) T) {
	for _, sides := range [][2]int{{0, 0}, {1, 1}, {4, 1}, {1, 4}, {4, 4}} {
		p, c := sides[0], sides[1]
		name := fmt.Sprintf("%dP%dC/", p, c)
		if p == 0 {
			name = "alone/"
		}
		if p <= 1 && c <= 1 {
			b.Run(name+"SPSC", func(b *testing.B) { passItems(b, queue.NewSPSC[T](benchCapacity), item, p, c) })
			b.Run(name+"SPSC-batches", func(b *testing.B) { passBatches(b, queue.NewSPSC[T](benchCapacity), item, p, c) })
		}
		if c <= 1 {
			b.Run(name+"MPSC", func(b *testing.B) { passItems(b, queue.NewMPSC[T](benchCapacity), item, p, c) })
			b.Run(name+"MPSC-batches", func(b *testing.B) { passBatches(b, queue.NewMPSC[T](benchCapacity), item, p, c) })
		}
		if p <= 1 {
			b.Run(name+"SPMC", func(b *testing.B) { passItems(b, queue.NewSPMC[T](benchCapacity), item, p, c) })
			b.Run(name+"SPMC-batches", func(b *testing.B) { passBatches(b, queue.NewSPMC[T](benchCapacity), item, p, c) })
		}
		b.Run(name+"MPMC", func(b *testing.B) { passItems(b, queue.NewMPMC[T](benchCapacity), item, p, c) })
		b.Run(name+"MPMC-batches", func(b *testing.B) { passBatches(b, queue.NewMPMC[T](benchCapacity), item, p, c) })
		b.Run(name+"channel", func(b *testing.B) { passItems(b, make(buffered[T], benchCapacity), item, p, c) })
	}
}

// buffered is a channel with the methods of a queue.
type buffered[T any] chan T

func (q buffered[T]) TryEnqueue(v T) bool {
	select {
	case q <- v:
		return true
	default:
		return false
	}
}

func (q buffered[T]) TryDequeue() (v T, ok bool) {
	select {
	case v = <-q:
		return v, true
	default:
		return v, false
	}
}

// share returns how many of n things the i-th of several gets.
func share(n, of, i int) int { return n*(i+1)/of - n*i/of }

// passItems passes b.N items through the queue, one at a time.
func passItems[T any, Q interface {
	TryEnqueue(v T) bool
	TryDequeue() (T, bool)
}](b *testing.B, q Q, item func(i int) T, producers, consumers int) {
	if producers == 0 {
		for i := 0; b.Loop(); i++ {
			q.TryEnqueue(item(i))
			q.TryDequeue()
		}
		return
	}
	together(b, producers, consumers, func(n int) {
		for i := range n {
			for !q.TryEnqueue(item(i)) {
				runtime.Gosched()
			}
		}
	}, func(n int) {
		for range n {
			for {
				if _, ok := q.TryDequeue(); ok {
					break
				}
				runtime.Gosched()
			}
		}
	})
}

const benchBatch = 32

// passBatches passes b.N items through the queue, in batches.
func passBatches[T any, Q interface {
	EnqueueN(vs []T) int
	DequeueN(dst []T) int
}](b *testing.B, q Q, item func(i int) T, producers, consumers int) {
	if producers == 0 {
		vs := make([]T, benchBatch)
		for i := 0; b.Loop(); i++ { // a batch now and then is an item each time
			if i%benchBatch == 0 {
				q.EnqueueN(vs)
				q.DequeueN(vs)
			}
		}
		return
	}
	together(b, producers, consumers, func(n int) {
		vs := make([]T, benchBatch)
		for n > 0 {
			some := vs[:min(n, benchBatch)]
			for i := range some {
				some[i] = item(i)
			}
			n -= len(some)
			for len(some) > 0 {
				took := q.EnqueueN(some)
				if some = some[took:]; took == 0 {
					runtime.Gosched()
				}
			}
		}
	}, func(n int) {
		vs := make([]T, benchBatch)
		for n > 0 {
			got := q.DequeueN(vs[:min(n, benchBatch)])
			if n -= got; got == 0 {
				runtime.Gosched()
			}
		}
	})
}

// together runs the given numbers of producers and consumers, which share b.N items among them.
func together(b *testing.B, producers, consumers int, produce, consume func(n int)) {
	var wg sync.WaitGroup
	for i := range producers {
		wg.Go(func() { produce(share(b.N, producers, i)) })
	}
	for i := range consumers {
		wg.Go(func() { consume(share(b.N, consumers, i)) })
	}
	wg.Wait()
}
