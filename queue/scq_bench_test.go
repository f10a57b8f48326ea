package queue_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/queue"
)

// BenchmarkStrictMPMC measures the time an item takes from producers to consumers, beside a
// buffered channel of the same capacity.
func BenchmarkStrictMPMC(b *testing.B) {
	const capacity = 1024
	b.Run("alone/strict", func(b *testing.B) {
		q := queue.NewStrictMPMC[int](capacity)
		for b.Loop() {
			q.TryEnqueue(1)
			q.TryDequeue()
		}
	})
	b.Run("alone/channel", func(b *testing.B) {
		c := make(chan int, capacity)
		for b.Loop() {
			c <- 1
			<-c
		}
	})
	for _, n := range [][2]int{{1, 1}, {4, 1}, {1, 4}, {4, 4}} {
		name := fmt.Sprintf("%dP%dC/", n[0], n[1])
		b.Run(name+"strict", func(b *testing.B) {
			q := queue.NewStrictMPMC[int](capacity)
			transfer(b, n[0], n[1],
				func(v int) {
					for !q.TryEnqueue(v) {
						runtime.Gosched()
					}
				},
				func() int {
					for {
						if v, ok := q.TryDequeue(); ok {
							return v
						}
						runtime.Gosched()
					}
				})
		})
		b.Run(name+"channel", func(b *testing.B) {
			c := make(chan int, capacity)
			transfer(b, n[0], n[1], func(v int) { c <- v }, func() int { return <-c })
		})
	}
}

// transfer has producers put and consumers take b.N numbers in all, each its share.
func transfer(b *testing.B, producers, consumers int, put func(int), take func() int) {
	share := func(among, i int) int { return b.N/among + min(1, max(0, b.N%among-i)) }
	var group sync.WaitGroup
	b.ResetTimer()
	for i := range producers {
		group.Go(func() {
			for v := range share(producers, i) {
				put(v)
			}
		})
	}
	for i := range consumers {
		group.Go(func() {
			for range share(consumers, i) {
				take()
			}
		})
	}
	group.Wait()
}
