//go:build unix || windows

package memory

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/memory"

	"github.com/freerun-go/freerun/offheap"
)

// BenchmarkTurns allocates blocks, writes their first and last bytes, and frees each 64 turns
// later. One task and two with the same work in all, in an arena, and with an Allocator for each
// task, take turns within each round. A metric is named after its variant and the number of its
// tasks: the median of its rounds in ns a block, and the least.
func BenchmarkTurns(b *testing.B) {
	for _, size := range []int{64, 128, 256, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { takeTurns(b, size) })
	}
}

const (
	window = 64
	blocks = 200_000
)

func takeTurns(b *testing.B, size int) {
	a, err := offheap.New(64 << 20)
	if err != nil {
		b.Fatal(err)
	}
	var own [2]memory.Allocator
	inArena := func(_, n int) {
		var held [window]offheap.Block
		for i := range n {
			block, err := a.Alloc(size)
			if err != nil {
				panic(err)
			}
			bytes := a.Bytes(block)
			bytes[0], bytes[size-1] = byte(i), byte(i)
			if old := held[i%window]; old != 0 {
				a.Free(old)
			}
			held[i%window] = block
		}
		for _, block := range held {
			a.Free(block)
		}
	}
	inOwn := func(task, n int) {
		var held [window][]byte
		for i := range n {
			bytes, err := own[task].Malloc(size)
			if err != nil {
				panic(err)
			}
			bytes[0], bytes[size-1] = byte(i), byte(i)
			if old := held[i%window]; old != nil {
				if err := own[task].Free(old); err != nil {
					panic(err)
				}
			}
			held[i%window] = bytes
		}
		for _, bytes := range held {
			if err := own[task].Free(bytes); err != nil {
				panic(err)
			}
		}
	}
	type variant struct {
		name  string
		tasks int
		run   func(task, n int)
		took  []float64
	}
	variants := []*variant{
		{name: "offheap1", tasks: 1, run: inArena},
		{name: "offheap2", tasks: 2, run: inArena},
		{name: "modernc1", tasks: 1, run: inOwn},
		{name: "modernc2", tasks: 2, run: inOwn},
	}
	for b.Loop() {
		for _, v := range variants {
			begun := time.Now()
			var all sync.WaitGroup
			for task := range v.tasks {
				all.Go(func() { v.run(task, blocks/v.tasks) })
			}
			all.Wait()
			v.took = append(v.took, float64(time.Since(begun).Nanoseconds())/blocks)
		}
		slices.Reverse(variants)
	}
	slices.SortFunc(variants, func(x, y *variant) int { return strings.Compare(x.name, y.name) })
	for _, v := range variants {
		slices.Sort(v.took)
		b.ReportMetric(v.took[len(v.took)/2], v.name)
		b.ReportMetric(v.took[0], v.name+"-min")
	}
	if err := a.Close(); err != nil {
		b.Error(err)
	}
	for i := range own {
		if err := own[i].Close(); err != nil {
			b.Error(err)
		}
	}
}
