package beat_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/sys/beat"
)

// BenchmarkApart measures how far apart beats come for goroutines that poll on all processors of
// Go, beside what a goroutine would give them.
func BenchmarkApart(b *testing.B) {
	b.Run("beat", func(b *testing.B) {
		apart(b, func() bool {
			_, ok := take()
			if ok {
				beat.Keep()
			}
			return ok
		}, func(*atomic.Bool) {})
	})
	var word atomic.Uint32
	pulse := func(end *atomic.Bool) {
		for !end.Load() {
			time.Sleep(time.Millisecond)
			word.CompareAndSwap(0, 1)
		}
	}
	taken := func() bool { return word.Load() == 1 && word.CompareAndSwap(1, 0) }
	b.Run("goroutine", func(b *testing.B) { apart(b, taken, pulse) })
	if nanosleep != nil {
		b.Run("locked goroutine in nanosleep", func(b *testing.B) {
			apart(b, taken, func(end *atomic.Bool) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				for !end.Load() {
					nanosleep()
					word.CompareAndSwap(0, 1)
				}
			})
		})
	}
}

// nanosleep has the system let the thread sleep for a millisecond, if the system is known.
var nanosleep func()

// apart polls on all processors until there is something to take, and reports the times between.
func apart(b *testing.B, taken func() bool, pulse func(end *atomic.Bool)) {
	const most = 1 << 16
	var (
		times [most]time.Duration
		count atomic.Int64
		end   atomic.Bool
		all   sync.WaitGroup
	)
	begin := time.Now()
	poll := func() {
		if !taken() {
			return
		}
		now := time.Since(begin)
		if n := count.Add(1); n <= most {
			times[n-1] = now
		}
	}
	all.Go(func() { pulse(&end) })
	for range runtime.GOMAXPROCS(0) - 1 {
		all.Go(func() {
			for !end.Load() {
				poll()
			}
		})
	}
	beat.Keep()
	for b.Loop() {
		for n := count.Load(); count.Load() == n; {
			poll()
		}
	}
	end.Store(true)
	all.Wait()
	n := min(count.Load(), most)
	slices.Sort(times[:n])
	var gaps []time.Duration
	for i := range n - 1 {
		gaps = append(gaps, times[i+1]-times[i])
	}
	slices.Sort(gaps)
	if len(gaps) == 0 {
		return
	}
	milliseconds := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(milliseconds(gaps[len(gaps)/2]), "p50-ms")
	b.ReportMetric(milliseconds(gaps[len(gaps)*99/100]), "p99-ms")
}
