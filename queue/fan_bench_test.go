//go:build !explore

package queue_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/queue"
)

// BenchmarkFan moves items from four producers to one consumer, and from one producer to four
// consumers. A goroutine that finds nothing, or no room, lets others run.
func BenchmarkFan(b *testing.B) {
	const hands = 4
	b.Run("4P1C/channel", func(b *testing.B) {
		c := make(chan int, 1024)
		waitingTransfer(b, hands, 1, func(v int) { c <- v }, func() bool { _, ok := <-c; return ok }, func() { close(c) })
	})
	b.Run("4P1C/fan in", func(b *testing.B) {
		q, each := queue.NewFanIn[int](1024/hands), (b.N+hands-1)/hands
		var all sync.WaitGroup
		for range hands {
			p := q.Register()
			all.Go(func() {
				for i := range each {
					for !p.TryEnqueue(i) {
						runtime.Gosched()
					}
				}
			})
		}
		for got := 0; got < each*hands; {
			if _, ok := q.TryDequeue(); ok {
				got++
			} else {
				runtime.Gosched()
			}
		}
		all.Wait()
	})
	b.Run("1P4C/channel", func(b *testing.B) {
		c := make(chan int, 1024)
		waitingTransfer(b, 1, hands, func(v int) { c <- v }, func() bool { _, ok := <-c; return ok }, func() { close(c) })
	})
	b.Run("1P4C/fan out", func(b *testing.B) {
		q := queue.NewFanOut[int](1024)
		var done atomic.Bool
		var got atomic.Int64
		var all sync.WaitGroup
		for range hands {
			c := q.Register()
			all.Go(func() {
				for n := int64(0); ; {
					over := done.Load()
					if _, ok := c.TryDequeue(); ok {
						n++
					} else if over {
						got.Add(n)
						return
					} else {
						runtime.Gosched()
					}
				}
			})
		}
		for i := range b.N {
			for !q.TryEnqueue(i) {
				runtime.Gosched()
			}
		}
		done.Store(true)
		all.Wait()
		if got.Load() != int64(b.N) {
			b.Errorf("%d of %d items came", got.Load(), b.N)
		}
	})
}
