package main

import "testing"

// preemptedWithin is a program whose activities are preempted, for as long as the second argument
// says, where they have called freerun itself, its structures, or functions of Go's runtime that
// hold something; and operations that wait for what an activity has.
const preemptedWithin = `package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/queue"
)

var end time.Time

func over() bool { return time.Now().After(end) }

// all runs an activity for each function, and waits for their ends.
func all(rt *freerun.Runtime, functions ...func(a *activity.Activity)) {
	var started []*activity.Activity
	for _, f := range functions {
		started = append(started, activity.Go(rt, f))
	}
	for _, a := range started {
		if err := a.Wait(context.Background()); err != nil {
			panic(err)
		}
	}
}

func fib(c *freerun.Context, n int) int {
	if n < 2 {
		return n
	}
	a, b := freerun.Join(c, func(c *freerun.Context) int { return fib(c, n-1) }, func(c *freerun.Context) int { return fib(c, n-2) })
	return a + b
}

var forked = freerun.NewForkFunc[int, int](nil)

var _ = freerun.Define(forked, func(c *freerun.Context, n int) int {
	if n < 2 {
		return n
	}
	a, b := forked.Join(c, n-1, n-2)
	return a + b
})

func join(c *freerun.Context) int { return fib(c, 18) }
func fork(c *freerun.Context) int { return forked.Run(c, 18) }

func reduce(c *freerun.Context) int {
	return freerun.Reduce(c, 2585, func(_ *freerun.Context, i int) int { return min(i, 1) }, func(a, b int) int { return a + b })
}

func loop(c *freerun.Context) int {
	var sum atomic.Int64
	freerun.For(c, 2585, func(_ *freerun.Context, i int) { sum.Add(int64(min(i, 1))) })
	return int(sum.Load())
}

// joins fork and join.
func joins() {
	for _, processors := range []int{1, 2, 3} {
		end = time.Now().Add(limit / 3)
		rt := freerun.New(freerun.Processors(processors))
		var each []func(a *activity.Activity)
		for _, f := range []func(*freerun.Context) int{join, fork, reduce, loop, join, fork, reduce, loop} {
			each = append(each, func(a *activity.Activity) {
				for !over() {
					if got := f(freerun.ContextOf(a)); got != 2584 {
						panic(fmt.Sprint(got, ", want 2584"))
					}
				}
			})
		}
		all(rt, each...)
		rt.Close()
	}
}

type item struct {
	from, n int
	more    [4]int
}

type structure interface {
	TryEnqueue(item) bool
	TryDequeue() (item, bool)
}

type endless struct{ *queue.UnboundedMPMC[item] }

func (q endless) TryEnqueue(v item) bool { q.Enqueue(v); return true }

type segmented struct{ *queue.SegmentedMPMC[item] }

func (q segmented) TryEnqueue(v item) bool { q.Enqueue(v); return true }

// queues has two activities enqueue and an operation of the same processor dequeue.
func queues() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	for name, q := range map[string]structure{
		"MPSC": queue.NewMPSC[item](64), "MPMC": queue.NewMPMC[item](64), "StrictMPMC": queue.NewStrictMPMC[item](64),
		"SegmentedMPMC": segmented{new(queue.SegmentedMPMC[item])}, "UnboundedMPMC": endless{new(queue.UnboundedMPMC[item])},
	} {
		end = time.Now().Add(limit / 5)
		var sent [2]int
		var last [2]int
		var done atomic.Bool
		u := freerun.NewUnit(rt, 0)
		var drained freerun.Future[int]
		var drain *freerun.Operation[int, int, int]
		drain = freerun.Op(name, func(c *freerun.Context, got *int, _ int) (int, error) {
			for range 1000 {
				v, ok := q.TryDequeue()
				if !ok {
					if done.Load() {
						return *got, nil
					}
					break
				}
				if v.n != last[v.from]+1 {
					panic(fmt.Sprint(name, ": ", v, " after ", last))
				}
				last[v.from] = v.n
				*got++
			}
			return freerun.Forward(c, drain.Send(c, u, 0))
		})
		drained = drain.Send(rt.Context(), u, 0)
		produce := func(from int) func(a *activity.Activity) {
			return func(*activity.Activity) {
				for !over() {
					for range 100 {
						if q.TryEnqueue(item{from: from, n: sent[from] + 1}) {
							sent[from]++
						}
					}
				}
			}
		}
		all(rt, produce(0), produce(1))
		done.Store(true)
		got, err := drained.Wait(context.Background())
		if err != nil || got != sent[0]+sent[1] || got == 0 {
			panic(fmt.Sprint(name, ": ", got, " of ", sent, err))
		}
	}
}

var held atomic.Bool

var taking = freerun.Op("taking", func(_ *freerun.Context, n *int, _ int) (int, error) {
	for !held.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	*n++
	held.Store(false)
	return *n, nil
})

// spins has an operation wait for a lock that an activity of the same processor has.
func spins() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	u := freerun.NewUnit(rt, 0)
	var locked atomic.Int64
	go func() {
		for !over() {
			if _, err := taking.Send(rt.Context(), u, 0).Wait(context.Background()); err != nil {
				panic(err)
			}
			locked.Add(1)
		}
	}()
	all(rt, func(*activity.Activity) {
		for !over() {
			for !held.CompareAndSwap(false, true) {
				runtime.Gosched()
			}
			for until := time.Now().Add(5 * time.Millisecond); time.Now().Before(until); {
			}
			held.Store(false)
		}
	})
	if locked.Load() < 5 {
		panic(fmt.Sprint("the operation has had the lock ", locked.Load(), " times"))
	}
}

// reads has activities read what Go's runtime guards with a semaphore of its own.
func reads() {
	for _, processors := range []int{1, 2} {
		end = time.Now().Add(limit / 2)
		rt := freerun.New(freerun.Processors(processors))
		read := func(*activity.Activity) {
			var samples []metrics.Sample
			for _, d := range metrics.All() {
				samples = append(samples, metrics.Sample{Name: d.Name})
			}
			for !over() {
				metrics.Read(samples)
			}
		}
		all(rt, read, read, read, read)
		rt.Close()
	}
}

var limit time.Duration

func main() {
	var err error
	if limit, err = time.ParseDuration(os.Args[2]); err != nil {
		panic(err)
	}
	end = time.Now().Add(limit)
	time.AfterFunc(limit+time.Minute, func() { panic("the end is waited for") })
	map[string]func(){"joins": joins, "queues": queues, "spins": spins, "reads": reads}[os.Args[1]]()
	fmt.Print("right")
}
`

// TestPreemptedWithin: an activity that is preempted holds nothing that freerun, or Go's runtime,
// needs to go on, and leaves nothing half done that the next one sees; and an operation that spins
// for what such an activity has gives its processor away.
func TestPreemptedWithin(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": preemptedWithin})
	must(t, dir, binary, "build", "-o", "plain", ".")
	for _, kind := range []string{"joins", "queues", "spins", "reads"} {
		if got := must(t, dir, "./plain", kind, "3s"); got != "right" {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
