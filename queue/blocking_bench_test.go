//go:build !explore

package queue_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/queue"
)

func BenchmarkWaiting(b *testing.B) {
	for _, shape := range []struct{ producers, consumers int }{{1, 1}, {4, 1}, {1, 4}, {4, 4}} {
		name := fmt.Sprintf("%dP%dC", shape.producers, shape.consumers)
		b.Run(name+"/channel", func(b *testing.B) {
			c := make(chan int, 1024)
			waitingTransfer(b, shape.producers, shape.consumers, func(v int) { c <- v }, func() bool { _, ok := <-c; return ok }, func() { close(c) })
		})
		b.Run(name+"/yielding", func(b *testing.B) {
			w := queue.NewMPMC[int](1024)
			var done atomic.Bool
			waitingTransfer(b, shape.producers, shape.consumers, func(v int) {
				for !w.TryEnqueue(v) {
					runtime.Gosched()
				}
			},
				func() bool {
					for {
						if _, ok := w.TryDequeue(); ok {
							return true
						}
						if done.Load() {
							_, ok := w.TryDequeue()
							return ok
						}
						runtime.Gosched()
					}
				}, func() { done.Store(true) })
		})
		b.Run(name+"/waiting", func(b *testing.B) {
			w := queue.NewBlocking[int](queue.NewMPMC[int](1024))
			ctx := context.Background()
			waitingTransfer(b, shape.producers, shape.consumers, func(v int) { w.Enqueue(ctx, v) },
				func() bool { _, err := w.Dequeue(ctx); return err == nil }, w.Close)
		})
	}
}

func waitingTransfer(b *testing.B, producers, consumers int, enqueue func(int), dequeue func() bool, done func()) {
	var bringing, taking sync.WaitGroup
	var got atomic.Int64
	each := (b.N + producers - 1) / producers
	for range consumers {
		taking.Go(func() {
			n := 0
			for dequeue() {
				n++
			}
			got.Add(int64(n))
		})
	}
	for range producers {
		bringing.Go(func() {
			for i := range each {
				enqueue(i)
			}
		})
	}
	bringing.Wait()
	done()
	taking.Wait()
	if got.Load() != int64(each*producers) {
		b.Errorf("%d of %d items came", got.Load(), each*producers)
	}
}
