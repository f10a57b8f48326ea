package locks

import (
	"strconv"
	"sync"

	"github.com/freerun-go/freerun/lock"
	"github.com/freerun-go/freerun/programs"
)

const paramGoroutines = "goroutines"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "locks",
	Doc:       "goroutines contend for one lock and count under it",
	Source:    "lecture 13, queues for mutual exclusion; isolates the locks",
	Operation: "lock and unlock",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "times that the lock is taken, by all together", Default: 1_000_000, Quick: 10_000, Min: 10, Max: 1_000_000_000},
		{Name: paramGoroutines, Doc: "goroutines that contend", Default: 64, Quick: 64, Min: 1, Max: 10_000},
	},
	Points: []map[string]int{{paramGoroutines: 1}, {paramGoroutines: 2}, {paramGoroutines: 8}, {paramGoroutines: 64}},
	Variants: []programs.Variant{
		variant("anderson", "lock.Anderson: an array of places", func(n int) sync.Locker { return lock.NewAnderson(n) }),
		variant("clh", "lock.CLH: each watches the one before", func(int) sync.Locker { return new(lock.CLH) }),
		variant("mcs", "lock.MCS: each is told by the one before", func(int) sync.Locker { return new(lock.MCS) }),
		variant("fifo", "lock.FIFO: a queue of waiters", func(int) sync.Locker { return new(lock.FIFO) }),
		variant("backoff", "lock.Backoff: test-and-set with back-off, no queue", func(int) sync.Locker { return new(lock.Backoff) }),
		plain(variant("mutex", "sync.Mutex", func(int) sync.Locker { return new(sync.Mutex) })),
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(v.Get(programs.Size)) },
}

// variant measures the lock that newLock makes for this many goroutines.
func variant(name, doc string, newLock func(goroutines int) sync.Locker) programs.Variant {
	return programs.Variant{Name: name, Kind: programs.Freerun, Doc: doc, Run: func(cfg programs.Config) (programs.Result, error) {
		goroutines := cfg.Values.Get(paramGoroutines)
		return run(newLock(goroutines), goroutines, cfg.Values.Get(programs.Size))
	}}
}

func plain(v programs.Variant) programs.Variant {
	v.Kind = programs.PlainGo
	return v
}

// run lets goroutines take the lock this many times. Counting begins after each of them has had it
// once: before that, the goroutines that started first have it to themselves.
func run(l sync.Locker, goroutines, size int) (programs.Result, error) {
	count, started := 0, 0 // under the lock
	meter := programs.StartMeter()
	taken := make([]uint64, 16*goroutines) // by each goroutine, on lines of their own
	gate := make(chan struct{})
	var all sync.WaitGroup
	finish := programs.NewFinish(goroutines)
	for i := range goroutines {
		all.Go(func() {
			<-gate
			l.Lock()
			if started++; started == goroutines {
				meter = programs.StartMeter()
			}
			l.Unlock()
			for {
				l.Lock()
				if started < goroutines {
					l.Unlock()
					continue
				}
				if count == size {
					l.Unlock()
					break
				}
				count++
				l.Unlock()
				taken[16*i]++
			}
			finish.Reached()
		})
	}
	close(gate)
	end, err := finish.Wait()
	result := meter.StopAt(end, uint64(size))
	all.Wait()
	result.Checksum = strconv.Itoa(count)
	if goroutines > 1 {
		result.Figures = []programs.Figure{{Name: "unfairness_percent", Doc: "most minus least taken by one goroutine, in % of the mean", Value: unfairness(taken, goroutines, size)}}
	}
	return result, err
}

// unfairness returns the difference between the most and the least that a goroutine took the lock,
// in percent of the mean.
func unfairness(taken []uint64, goroutines, size int) uint64 {
	least, most := taken[0], taken[0]
	for i := range goroutines {
		least, most = min(least, taken[16*i]), max(most, taken[16*i])
	}
	return (most - least) * 100 * uint64(goroutines) / uint64(size)
}
