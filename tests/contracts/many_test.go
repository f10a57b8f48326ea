package contracts_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contracts 1, 3 and 5 with more processors than the machine has, so that several search at a time,
// and processors are stopped anywhere by the system. The race detector checks contract 1, too.

// TestManyProcessors has bursts of messages to units, a tree of operations, and chains of which
// each task is alone in its queue. Between the bursts the processors park.
func TestManyProcessors(t *testing.T) {
	bursts := 16
	if testing.Short() {
		bursts = 4
	}
	const units, each, chains, links = 64, 20, 6, 50
	for _, processors := range []int{8, 16} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			rt, _ := runtimetest.Start(t, freerun.Processors(processors))
			all := make([]*freerun.Unit[int], units)
			for i := range all {
				all[i] = freerun.NewUnit(rt, 0)
			}
			linked := freerun.NewUnit(rt, 0)
			for burst := range bursts {
				tree := manyTree.Send(rt.Context(), 12)
				for range each {
					for _, u := range all {
						freerun.Do(rt.Context(), u, func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil })
					}
				}
				for range chains {
					if err := manyLink.Tell(rt.Context(), manyChain{linked, links}); err != nil {
						t.Fatal(err)
					}
				}
				if got := runtimetest.Must(t, tree); got != 1<<12 {
					t.Fatalf("burst %d: the tree has %d leaves, want %d", burst, got, 1<<12)
				}
				if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
					t.Fatalf("burst %d: %v", burst, err)
				}
			}
			read := func(_ *freerun.Context, n *int) (int, error) { return *n, nil }
			for i, u := range all {
				if got := runtimetest.Must(t, freerun.Do(rt.Context(), u, read)); got != bursts*each {
					t.Errorf("unit %d has run %d messages, want %d", i, got, bursts*each)
				}
			}
			if got := runtimetest.Must(t, freerun.Do(rt.Context(), linked, read)); got != bursts*chains {
				t.Errorf("%d chains have come to their end, want %d", got, bursts*chains)
			}
		})
	}
}

// TestManyProcessorsMixed has forks, activities that await futures and sleep, and timers, while the
// number of processors changes.
func TestManyProcessorsMixed(t *testing.T) {
	bursts := 12
	if testing.Short() {
		bursts = 3
	}
	const units, activities, timers = 16, 24, 24
	for _, processors := range []int{8, 16} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			rt, _ := runtimetest.Start(t, freerun.Processors(processors))
			add := func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil }
			all := make([]*freerun.Unit[int], units)
			for i := range all {
				all[i] = freerun.NewUnit(rt, 0)
			}
			for burst := range bursts {
				var failed atomic.Int32
				var resizing sync.WaitGroup
				resizing.Go(func() {
					for n := range 2 * processors {
						rt.Resize(1 + (7*n+burst)%processors)
					}
					rt.Resize(processors)
				})
				forked := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return manyForks(c, 12), nil })
				fired := make([]freerun.Future[int], timers)
				for i := range fired {
					after := freerun.After(rt.Context(), time.Duration(i%4)*time.Millisecond/2)
					fired[i] = freerun.Then(rt.Context(), after, func(c *freerun.Context, _ time.Time) (int, error) {
						return freerun.Forward(c, freerun.Do(c, all[i%units], add))
					})
				}
				for i := range activities {
					activity.Go(rt, func(a *activity.Activity) {
						for k := range 5 {
							if _, err := freerun.Do(freerun.ContextOf(a), all[(i+k)%units], add).Await(a); err != nil {
								failed.Add(1)
							}
							if k == i%5 {
								_ = a.Sleep(time.Duration(i) * 10 * time.Microsecond)
							}
						}
					})
				}
				if got := runtimetest.Must(t, forked); got != 1<<12 {
					t.Fatalf("burst %d: %d leaves are forked, want %d", burst, got, 1<<12)
				}
				for _, f := range fired {
					runtimetest.Must(t, f)
				}
				if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
					t.Fatalf("burst %d: %v", burst, err)
				}
				if resizing.Wait(); failed.Load() != 0 {
					t.Fatalf("burst %d: %d awaited futures have failed", burst, failed.Load())
				}
			}
			total := 0
			for _, u := range all {
				total += runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, n *int) (int, error) { return *n, nil }))
			}
			if want := bursts * (timers + 5*activities); total != want {
				t.Errorf("the units have run %d messages, want %d", total, want)
			}
		})
	}
}

// TestManyProcessorsClose closes runtimes in the middle of their work: each message has run, or its
// future fails with ErrClosed.
func TestManyProcessorsClose(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	const units, each = 32, 30
	for round := range rounds {
		rt := runtimetest.Quiet(t, freerun.Processors(8+round%2*8))
		var ran atomic.Int32
		var all []freerun.Future[int]
		for range units {
			u := freerun.NewUnit(rt, 0)
			for range each {
				all = append(all, freerun.Do(rt.Context(), u, func(c *freerun.Context, n *int) (int, error) {
					ran.Add(1)
					manyForks(c, round%6)
					return *n, nil
				}))
			}
		}
		for range round % 8 {
			runtimetest.Must(t, all[round])
		}
		_ = rt.Close()
		resolved := 0
		for i, f := range all {
			switch _, err := f.Wait(runtimetest.Within(t)); {
			case err == nil:
				resolved++
			case !errors.Is(err, freerun.ErrClosed):
				t.Fatalf("round %d, message %d: %v", round, i, err)
			}
		}
		if got := int(ran.Load()); got != resolved {
			t.Fatalf("round %d: %d messages have run, and %d futures are resolved", round, got, resolved)
		}
	}
}

// manyForks counts the leaves of a binary tree of forks.
func manyForks(c *freerun.Context, depth int) int {
	if depth == 0 {
		return 1
	}
	x, y := freerun.Join(c,
		func(c *freerun.Context) int { return manyForks(c, depth-1) },
		func(c *freerun.Context) int { return manyForks(c, depth-1) })
	return x + y
}

// manyTree counts the leaves of a binary tree, each node of which is an operation.
var manyTree = freerun.FreeOp[int, int]("tree", nil)

var _ = freerun.Define(manyTree, func(c *freerun.Context, depth int) (int, error) {
	if depth == 0 {
		return 1, nil
	}
	return freerun.Forward(c, manySum.Send(c, manyPair{manyTree.Send(c, depth-1), manyTree.Send(c, depth-1)}))
})

type manyPair struct{ X, Y freerun.Future[int] }

var manySum = freerun.FreeOp("sum", func(_ *freerun.Context, p manyPair) (int, error) {
	return p.X.Value() + p.Y.Value(), nil
})

type manyChain struct {
	end  *freerun.Unit[int]
	left int
}

var manyLink = freerun.FreeOp[manyChain, struct{}]("link", nil)

var _ = freerun.Define(manyLink, func(c *freerun.Context, m manyChain) (struct{}, error) {
	if m.left == 0 {
		freerun.Do(c, m.end, func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil })
		return struct{}{}, nil
	}
	return struct{}{}, manyLink.Tell(c, manyChain{m.end, m.left - 1})
})
