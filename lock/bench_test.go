//go:build !explore

package lock_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkLock has goroutines that do nothing but lock, add to a counter and unlock. Besides the
// time for one such turn it reports how unfair the lock was: the difference between the goroutine
// with the most turns and that with the fewest, in percent of the mean. That takes a run of many
// turns for each: -benchtime 1000000x or more.
func BenchmarkLock(b *testing.B) {
	all := append([]kind{{"sync.Mutex", func() locker { return nil }, false}}, kinds...)
	for _, goroutines := range []int{1, 2, 8, 64, 1000} {
		for _, k := range all {
			b.Run(fmt.Sprintf("%s/goroutines=%d", k.name, goroutines), func(b *testing.B) {
				b.ReportAllocs()
				var l sync.Locker = new(sync.Mutex)
				if made := k.make(); made != nil {
					l = made
				}
				benchmarkTurns(b, l, goroutines)
			})
		}
	}
}

func benchmarkTurns(b *testing.B, l sync.Locker, goroutines int) {
	turns := make([]struct {
		n int
		_ [120]byte
	}, goroutines)
	var done sync.WaitGroup
	var over atomic.Bool
	var arrived atomic.Int32
	counted := 0
	l.Lock()
	for i := range goroutines {
		done.Go(func() {
			arrived.Add(1)
			for !over.Load() {
				l.Lock()
				counted++
				if counted >= b.N {
					over.Store(true)
				}
				l.Unlock()
				turns[i].n++
			}
		})
	}
	for arrived.Load() < int32(goroutines) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond) // in which all of them come to wait
	b.ResetTimer()
	l.Unlock()
	done.Wait()
	b.StopTimer()
	low, high := turns[0].n, turns[0].n
	for _, t := range turns {
		low, high = min(low, t.n), max(high, t.n)
	}
	b.ReportMetric(100*float64(high-low)*float64(goroutines)/float64(counted), "unfair-%")
}
