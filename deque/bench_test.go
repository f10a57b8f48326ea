package deque_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/deque"
)

// locked is the alternative to this package: a slice under a mutex.
type locked[T any] struct {
	mu     sync.Mutex
	values []T
}

func (d *locked[T]) push(v T) {
	d.mu.Lock()
	d.values = append(d.values, v)
	d.mu.Unlock()
}

func (d *locked[T]) pop() (v T, ok bool) {
	d.mu.Lock()
	if last := len(d.values) - 1; last >= 0 {
		v, d.values[last] = d.values[last], v
		d.values, ok = d.values[:last], true
	}
	d.mu.Unlock()
	return v, ok
}

func (d *locked[T]) steal() (v T, ok bool) {
	d.mu.Lock()
	if len(d.values) > 0 {
		v, d.values[0] = d.values[0], v
		d.values, ok = d.values[1:], true
	}
	d.mu.Unlock()
	return v, ok
}

type job [8]uint64

// batch is the number of operations that are timed together.
const batch = 2_000

// inStores runs f(batch) in turns with as many atomic stores. It reports the median of f's time for
// each operation: in nanoseconds, and in stores.
func inStores(b *testing.B, f func(n int)) {
	var word atomic.Int64
	var times, ratios []float64
	for b.Loop() {
		began := time.Now()
		for i := range int64(batch) {
			word.Store(i)
		}
		between := time.Now()
		f(batch)
		took := float64(time.Since(between))
		times = append(times, took/batch)
		ratios = append(ratios, took/max(1, float64(between.Sub(began))))
	}
	slices.Sort(times)
	slices.Sort(ratios)
	b.ReportMetric(times[len(times)/2], "ns/op")
	b.ReportMetric(ratios[len(ratios)/2], "stores/op")
}

// BenchmarkPushPop pushes a value and pops it again above a number of other values. With 0 others
// it is the last value.
func BenchmarkPushPop(b *testing.B) {
	for _, below := range []struct {
		name  string
		count int
	}{{"last", 0}, {"deep", 20}} {
		v := &job{}
		b.Run(below.name+"/Growable", func(b *testing.B) {
			d := deque.NewGrowable[job]()
			for range below.count {
				d.Push(v)
			}
			inStores(b, func(n int) {
				for range n {
					d.Push(v)
					d.Pop()
				}
			})
		})
		b.Run(below.name+"/Bounded", func(b *testing.B) {
			d := deque.NewBounded[job](64)
			for range below.count {
				d.TryPush(v)
			}
			inStores(b, func(n int) {
				for range n {
					d.TryPush(v)
					d.Pop()
				}
			})
		})
		b.Run(below.name+"/Hybrid", func(b *testing.B) {
			d := deque.NewHybrid[*job]()
			for range below.count {
				d.Push(v)
			}
			inStores(b, func(n int) {
				for range n {
					d.Push(v)
					d.Pop()
				}
			})
		})
		b.Run(below.name+"/Hybrid of 64 bytes", func(b *testing.B) {
			d := deque.NewHybrid[job]()
			for range below.count {
				d.Push(*v)
			}
			inStores(b, func(n int) {
				for range n {
					d.Push(*v)
					d.Pop()
				}
			})
		})
		b.Run(below.name+"/slice and mutex", func(b *testing.B) {
			d := &locked[*job]{}
			for range below.count {
				d.push(v)
			}
			inStores(b, func(n int) {
				for range n {
					d.push(v)
					d.pop()
				}
			})
		})
	}
}

// BenchmarkPushSteal pushes a value and steals it again, in one goroutine.
func BenchmarkPushSteal(b *testing.B) {
	v := &job{}
	b.Run("Growable", func(b *testing.B) {
		d := deque.NewGrowable[job]()
		thief := d.Thief()
		inStores(b, func(n int) {
			for range n {
				d.Push(v)
				thief.Steal()
			}
		})
	})
	b.Run("Bounded", func(b *testing.B) {
		d := deque.NewBounded[job](64)
		thief := d.Thief()
		inStores(b, func(n int) {
			for range n {
				d.TryPush(v)
				thief.Steal()
			}
		})
	})
	b.Run("Hybrid", func(b *testing.B) {
		d := deque.NewHybrid[*job]()
		thief := d.Thief()
		inStores(b, func(n int) {
			for range n {
				d.Push(v)
				thief.Steal()
			}
		})
	})
	b.Run("slice and mutex", func(b *testing.B) {
		d := &locked[*job]{}
		inStores(b, func(n int) {
			for range n {
				d.push(v)
				d.steal()
			}
		})
	})
}

// BenchmarkTree works through binary trees of jobs: a worker that takes a job pushes its two
// halves. The owner pops until nothing is left. Meanwhile a thief works through a tree of its own,
// and steals when that is done. One op is one job.
func BenchmarkTree(b *testing.B) {
	const depth = 12
	for _, c := range []struct {
		name string
		make func() worker
	}{
		{"Growable", func() worker {
			d := deque.NewGrowable[int]()
			return worker{func(v *int) { d.Push(v) }, d.Pop, d.Thief().Steal}
		}},
		{"Bounded", func() worker {
			d := deque.NewBounded[int](64)
			return worker{func(v *int) { d.TryPush(v) }, d.Pop, d.Thief().Steal}
		}},
		{"Hybrid", func() worker {
			d := deque.NewHybrid[*int]()
			return worker{d.Push, d.Pop, d.Thief().Steal}
		}},
		{"slice and mutex", func() worker {
			d := &locked[*int]{}
			return worker{d.push, d.pop, func() (*int, deque.Outcome) {
				v, ok := d.steal()
				if !ok {
					return v, deque.Empty
				}
				return v, deque.Stolen
			}}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			workers := [2]worker{c.make(), c.make()}
			jobs := 0
			for b.Loop() {
				jobs += trees(workers, depth)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(jobs), "ns/op")
		})
	}
}

type worker struct {
	push  func(v *int)
	pop   func() (*int, bool)
	steal func() (*int, deque.Outcome)
}

// levels are the values that jobs point to: the number of levels of halves below a job.
var levels = func() (all [32]int) {
	for i := range all {
		all[i] = i
	}
	return all
}()

// trees works through one tree, beginning with the first worker, and returns the number of its
// jobs.
func trees(workers [2]worker, depth int) int {
	total := int64(2<<depth - 1)
	var done atomic.Int64
	var group sync.WaitGroup
	workers[0].push(&levels[depth])
	for i, own := range workers {
		other := workers[1-i]
		group.Go(func() {
			for counted := int64(0); ; {
				v, ok := own.pop()
				if !ok {
					done.Add(counted)
					counted = 0
					if done.Load() == total {
						return
					}
					stolen, outcome := other.steal()
					if outcome != deque.Stolen {
						runtime.Gosched()
						continue
					}
					v = stolen
				}
				counted++
				if *v > 0 {
					own.push(&levels[*v-1])
					own.push(&levels[*v-1])
				}
			}
		})
	}
	group.Wait()
	return int(total)
}
