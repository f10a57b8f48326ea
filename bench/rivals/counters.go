package rivals

import (
	"context"
	"sync"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/bench/rivals/contest"
)

var (
	counterKind = freerun.NewKind("counter", func(*freerun.Context, uint64) (int64, error) { return 0, nil })
	countOp     = freerun.Op("count", func(_ *freerun.Context, n *int64, work int) (int64, error) {
		contest.Work(work)
		*n++
		return *n, nil
	})
)

// FreerunCounters is a [contest.Counters]: units of a kind.
func FreerunCounters() (tell func(uint64, int), ask func(uint64, int) int64, wait, stop func()) {
	rt := freerun.New()
	ctx, outside := context.Background(), rt.Context()
	tell = func(key uint64, work int) { must(countOp.Tell(outside, counterKind.At(outside, key), work)) }
	ask = func(key uint64, work int) int64 {
		n, err := countOp.Call(ctx, counterKind.At(outside, key), work)
		must(err)
		return n
	}
	return tell, ask, func() { must(rt.Quiesce(ctx)) }, func() { must(rt.Close()) }
}

// MutexCounters is a map of counters with a mutex each. The map is a sync.Map, which is for keys
// that are read much more often than added.
func MutexCounters() (tell func(uint64, int), ask func(uint64, int) int64, wait, stop func()) {
	type counter struct {
		sync.Mutex
		n int64
	}
	var counters sync.Map // uint64 → *counter
	ask = func(key uint64, work int) int64 {
		v, ok := counters.Load(key)
		if !ok {
			v, _ = counters.LoadOrStore(key, &counter{})
		}
		c := v.(*counter)
		c.Lock()
		defer c.Unlock()
		contest.Work(work)
		c.n++
		return c.n
	}
	return func(key uint64, work int) { ask(key, work) }, ask, func() {}, func() {}
}

// GoroutineCounters is a map of goroutines, one for each counter, that receive from channels with a
// buffer of 16. Who asks brings a channel for the answer, which is used again.
func GoroutineCounters() (tell func(uint64, int), ask func(uint64, int) int64, wait, stop func()) {
	type request struct {
		work   int
		answer chan int64
	}
	var counters sync.Map // uint64 → chan request
	var open, goroutines sync.WaitGroup
	answers := sync.Pool{New: func() any { return make(chan int64, 1) }}
	serve := func(requests chan request) {
		n := int64(0)
		for r := range requests {
			contest.Work(r.work)
			if n++; r.answer != nil {
				r.answer <- n
			} else {
				open.Done()
			}
		}
	}
	at := func(key uint64) chan request {
		v, ok := counters.Load(key)
		if !ok {
			fresh := make(chan request, 16)
			if v, ok = counters.LoadOrStore(key, fresh); !ok {
				goroutines.Go(func() { serve(fresh) })
			}
		}
		return v.(chan request)
	}
	tell = func(key uint64, work int) { open.Add(1); at(key) <- request{work: work} }
	ask = func(key uint64, work int) int64 {
		answer := answers.Get().(chan int64)
		at(key) <- request{work, answer}
		n := <-answer
		answers.Put(answer)
		return n
	}
	stop = func() {
		counters.Range(func(_, v any) bool { close(v.(chan request)); return true })
		goroutines.Wait()
	}
	return tell, ask, open.Wait, stop
}
