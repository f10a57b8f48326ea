package contest

import (
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// Counters starts a set of counters with keys. A counter is made when its key is first used. tell
// has the counter of a key do a piece of work ([Work]) and add one, and may return before that; ask
// does the same, and returns the new count. Any goroutine calls them. wait waits until all that was
// told is done, and stop ends the set.
type Counters func() (tell func(key uint64, work int), ask func(key uint64, work int) int64, wait, stop func())

// callers is the number of goroutines that tell and ask.
const callers = 64

// Work does a piece of work of that many steps, which depend on each other.
func Work(steps int) {
	x := uint64(steps) | 1
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 { // never: the steps lead from no other number to 0
		panic("contest: the work was lost")
	}
}

// steps returns how many steps take that long.
func steps(d time.Duration) int {
	const tried = 1 << 20
	least := time.Hour
	for range 5 {
		begin := time.Now()
		Work(tried)
		least = min(least, time.Since(begin))
	}
	return int(float64(tried) * float64(d) / float64(least))
}

// zipf returns a sequence of keys below n, drawn by the law of Zipf with exponent 1.1: the most
// frequent is one in ten or so. Neighbors in frequency are no neighbors as numbers.
func zipf(n, length int) []uint64 {
	draw := rand.NewZipf(rand.New(rand.NewSource(1)), 1.1, 1, uint64(n-1))
	keys := make([]uint64, length)
	for i := range keys {
		keys[i] = draw.Uint64() * 0x9e3779b97f4a7c15 // odd: different keys stay different
	}
	return keys
}

// A count is one set of counters, with what it must have counted.
type count struct {
	tell func(key uint64, work int)
	ask  func(key uint64, work int) int64
	wait func()
	stop func()
	want map[uint64]int64
}

// touch uses each of n keys once.
func (s *count) touch(n int) {
	for key := range uint64(n) {
		s.tell(key*0x9e3779b97f4a7c15, 0)
		s.want[key*0x9e3779b97f4a7c15]++
	}
	s.wait()
}

// run has the callers go through the keys, each through its share, and returns the time until all
// is done.
func (s *count) run(keys []uint64, work int, asked bool) time.Duration {
	var group sync.WaitGroup
	begin := time.Now()
	for from := range callers {
		share := keys[from*len(keys)/callers : (from+1)*len(keys)/callers]
		group.Go(func() {
			for _, key := range share {
				if asked {
					s.ask(key, work)
				} else {
					s.tell(key, work)
				}
			}
		})
	}
	group.Wait()
	s.wait()
	took := time.Since(begin)
	for _, key := range keys {
		s.want[key]++
	}
	return took
}

// check asks for each count, and returns the first that is wrong.
func (s *count) check() error {
	for key, n := range s.want {
		if got := s.ask(key, 0); got != n+1 {
			return fmt.Errorf("key %x: %d, want %d", key, got, n+1)
		}
	}
	return nil
}

// question is one of the four that [BenchCounters] asks.
type question struct {
	name  string
	asked bool
	work  bool
}

var questions = []question{
	{"told-1us", false, true},
	{"asked-1us", true, true},
	{"told-empty", false, false},
	{"asked-empty", true, false},
}

// CheckCounters tests rivals: each counter has the right count.
func CheckCounters(t *testing.T, rivals []Named[Counters]) {
	for _, rival := range rivals {
		t.Run(rival.Name, func(t *testing.T) {
			if _, err := oneRound(rival.Adapter, 1000, zipf(1000, 20_000), 10); err != nil {
				t.Error(err)
			}
		})
	}
}

// oneRound asks one rival the questions, and verifies all counts. It returns the times.
func oneRound(start Counters, keys int, sequence []uint64, work int) (took []time.Duration, err error) {
	s := &count{want: make(map[uint64]int64, keys)}
	s.tell, s.ask, s.wait, s.stop = start()
	s.touch(keys)
	for _, q := range questions {
		steps := 0
		if q.work {
			steps = work
		}
		runtime.GC()
		took = append(took, s.run(sequence, steps, q.asked))
	}
	err = s.check()
	s.stop()
	return took, err
}

// BenchCounters asks rivals in turns, b.N times, with so many keys that were all used before: 64
// callers tell and ask the counters of a sequence of keys, with a microsecond of work and with
// none. It reports the medians, in nanoseconds a request.
func BenchCounters(b *testing.B, rivals []Named[Counters], keys, requests int) {
	sequence, work := zipf(keys, requests), steps(time.Microsecond)
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, rival := range rivals {
			runtime.GC()
			times, err := oneRound(rival.Adapter, keys, sequence, work)
			if err != nil {
				b.Fatalf("%s: %v", rival.Name, err)
			}
			for i, q := range questions {
				name := rival.Name + "-" + q.name
				took[name] = append(took[name], times[i])
			}
		}
	}
	b.ReportMetric(0, "ns/op") // of a round, which nobody asks for
	for name, times := range took {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2])/float64(requests), name+"-ns")
	}
}
