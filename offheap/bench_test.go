package offheap_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// window is the number of blocks that a task has at a time.
const window = 64

// sink keeps the results of make off the stack.
var sink [4][window][]byte

// BenchmarkAlloc allocates a block, writes its first and last byte, and frees the block that was
// allocated 64 turns ago; beside it make does the same, and its garbage is collected. With 2 tasks,
// each does half of the same work.
func BenchmarkAlloc(b *testing.B) {
	for _, size := range []int{100, 1000, 10000} {
		for _, tasks := range []int{1, 2} {
			name := fmt.Sprintf("%d/%d", size, tasks)
			b.Run("offheap/"+name, func(b *testing.B) {
				a := open(b, 1<<28)
				perTask(b, tasks, func(_, n int) {
					var held [window]offheap.Block
					for i := range n {
						block := must(a.Alloc(size))
						bytes := a.Bytes(block)
						bytes[0], bytes[size-1] = byte(i), byte(i)
						if old := held[i%window]; old != 0 {
							a.Free(old)
						}
						held[i%window] = block
					}
					for _, block := range held {
						if block != 0 {
							a.Free(block)
						}
					}
				})
			})
			b.Run("make/"+name, func(b *testing.B) {
				perTask(b, tasks, func(task, n int) {
					for i := range n {
						bytes := make([]byte, size)
						bytes[0], bytes[size-1] = byte(i), byte(i)
						sink[task][i%window] = bytes
					}
				})
			})
		}
	}
}

// BenchmarkForeign has each of two tasks free the blocks of the other, 64 blocks at a time.
func BenchmarkForeign(b *testing.B) {
	for _, size := range []int{1000, 10000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			a := open(b, 1<<28)
			to := [2]chan [window]offheap.Block{make(chan [window]offheap.Block, 4), make(chan [window]offheap.Block, 4)}
			perTask(b, 2, func(task, n int) {
				for range n / window {
					var batch [window]offheap.Block
					for i := range batch {
						batch[i] = must(a.Alloc(size))
						bytes := a.Bytes(batch[i])
						bytes[0], bytes[size-1] = byte(i), byte(i)
					}
					to[task] <- batch
					for _, block := range <-to[1-task] {
						a.Free(block)
					}
				}
			})
		})
	}
}

// BenchmarkWaves allocates more blocks than any cache holds, and then frees them.
func BenchmarkWaves(b *testing.B) {
	for _, size := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			a := open(b, 1<<28)
			blocks := make([]offheap.Block, 10_000)
			perTask(b, 1, func(_, n int) {
				for range n / len(blocks) {
					for i := range blocks {
						blocks[i] = must(a.Alloc(size))
					}
					for _, block := range blocks {
						a.Free(block)
					}
				}
			})
		})
	}
}

// turns is the number of blocks that the tasks of a benchmark share.
const turns = 1 << 17

// perTask runs f in a number of tasks, again and again, and reports the time for each block.
func perTask(b *testing.B, tasks int, f func(task, n int)) {
	for b.Loop() {
		var all sync.WaitGroup
		for task := range tasks {
			all.Go(func() { f(task, turns/tasks) })
		}
		all.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*turns), "ns/block")
}

func must(block offheap.Block, err error) offheap.Block {
	if err != nil {
		panic(err)
	}
	return block
}
