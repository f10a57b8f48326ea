package freerun_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var (
	inOrder = freerun.Op("inOrder", func(c *freerun.Context, s *[]int, i int) (int, error) {
		if i%4 == 0 {
			awayAndBack(c)
		}
		*s = append(*s, i)
		return len(*s), nil
	})
	add   = freerun.Op("add", func(_ *freerun.Context, s *int, n int) (int, error) { *s += n; return *s, nil })
	stuck = freerun.FreeOp("stuck", func(c *freerun.Context, do func(*freerun.Context)) (int, error) {
		do(c)
		return 0, nil
	})
)

// stolenBranch returns the branches of a join whose second one is always stolen: the first waits
// until the second has begun, which then calls do.
func stolenBranch(do func(c *freerun.Context)) (f, g func(*freerun.Context) struct{}) {
	begun := make(chan struct{})
	f = func(*freerun.Context) (none struct{}) { <-begun; return none }
	g = func(c *freerun.Context) (none struct{}) { close(begun); do(c); return none }
	return f, g
}

// awayAndBack has an operation wait in a join without a processor. The stolen branch ends only when
// a free operation has run meanwhile, on the other of two processors.
func awayAndBack(c *freerun.Context) {
	ran := make(chan struct{})
	f, g := stolenBranch(func(c *freerun.Context) {
		freerun.Go(c, func(*freerun.Context) (int, error) { close(ran); return 0, nil })
		<-ran
	})
	freerun.Join(c, f, g)
}

// TestJoinGivesProcessorAway has an operation wait for a branch that ends only after something else
// has run on the operation's processor.
func TestJoinGivesProcessorAway(t *testing.T) {
	rt := inside(t, 2, func(c *freerun.Context) {
		for range 100 {
			awayAndBack(c)
		}
		if got := fib.Run(c, 15); got != 610 {
			t.Errorf("fib(15) = %d after waiting", got)
		}
	})
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("%d messages sent and %d done", s.Sent, s.Done)
	}
}

// TestJoinShort has an operation join while its processor's queue holds a long operation that ends
// only after the join: it must not be run on the joiner's stack. (TestExploreHelping shows the same
// of branches that the join does not wait for.)
func TestJoinShort(t *testing.T) {
	inside(t, 2, func(c *freerun.Context) {
		for range 100 {
			runs, joined := make(chan struct{}), make(chan struct{})
			f, g := stolenBranch(func(*freerun.Context) { <-runs })
			freerun.Join(c, func(c *freerun.Context) int {
				f(c)
				freerun.Go(c, func(*freerun.Context) (int, error) { close(runs); <-joined; return 0, nil })
				return 0
			}, g)
			close(joined)
		}
	})
}

// TestJoinDeep nests joins whose branches need both processors at each level.
func TestJoinDeep(t *testing.T) {
	var descend func(c *freerun.Context, levels int) int
	descend = func(c *freerun.Context, levels int) (depth int) {
		if levels == 0 {
			return 0
		}
		if levels%10 == 0 {
			awayAndBack(c)
		}
		f, g := stolenBranch(func(c *freerun.Context) { depth = descend(c, levels-1) })
		if levels%3 == 0 {
			freerun.For(c, 2, func(c *freerun.Context, i int) {
				if i == 0 {
					f(c)
				} else {
					g(c)
				}
			})
		} else {
			freerun.Join(c, f, g)
		}
		return depth + 1
	}
	inside(t, 2, func(c *freerun.Context) {
		if got := descend(c, 300); got != 300 {
			t.Errorf("came %d levels deep", got)
		}
	})
	// Without waits, joins nest as deep as memory goes.
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		inside(t, processors, func(c *freerun.Context) {
			var nest func(c *freerun.Context, levels int) int
			nest = func(c *freerun.Context, levels int) int {
				if levels == 0 {
					return 1
				}
				return freerun.Reduce(c, 2, func(c *freerun.Context, i int) int {
					x, _ := freerun.Join(c,
						func(c *freerun.Context) int { return nest(c, (levels-1)*i) },
						func(*freerun.Context) int { runtime.Gosched(); return 0 })
					return x
				}, func(a, b int) int { return a + b })
			}
			if got := nest(c, deepSpine/10); got != deepSpine/10+1 {
				t.Errorf("%d leaves", got)
			}
		})
	})
}

// TestJoinOnUnit has operations on a unit wait in joins and resume on other processors: exclusion
// and order stay.
func TestJoinOnUnit(t *testing.T) {
	const messages = 200
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, []int(nil))
	last := freerun.Go(rt.Context(), func(c *freerun.Context) (freerun.Future[int], error) {
		for i := range messages - 1 {
			if i%2 == 0 {
				inOrder.Tell(c, u, i)
			} else {
				inOrder.Send(c, u, i)
			}
		}
		return inOrder.Send(c, u, messages-1), nil
	})
	if n := runtimetest.Must(t, runtimetest.Must(t, last)); n != messages {
		t.Errorf("%d messages were run before the last one", n)
	}
	order := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *[]int) ([]int, error) { return slices.Clone(*s), nil }))
	for i, v := range order {
		if v != i {
			t.Fatalf("message %d came in place %d", v, i)
		}
	}
}

// TestJoinFaultAfterWaiting has operations fail on another processor than they began on.
func TestJoinFaultAfterWaiting(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	for i := range 60 {
		f := freerun.Do(rt.Context(), u, func(c *freerun.Context, n *int) (int, error) {
			*n++
			awayAndBack(c)
			switch i % 3 {
			case 0:
				explode("after")
			case 1:
				runtime.Goexit()
			}
			return *n, nil
		})
		v, err := f.Wait(runtimetest.Within(t))
		var e *freerun.PanicError
		switch {
		case i%3 == 2:
			if v != i+1 || err != nil {
				t.Fatalf("operation %d returned %d, %v", i, v, err)
			}
		case !errors.As(err, &e):
			t.Fatalf("operation %d failed with %v", i, err)
		}
	}
}

// TestJoinUnwindsAfterThief has the first branch panic while a thief has the second one and waits,
// too.
func TestJoinUnwindsAfterThief(t *testing.T) {
	inside(t, 2, func(c *freerun.Context) {
		for range 50 {
			var ended atomic.Bool
			f, g := stolenBranch(func(c *freerun.Context) { awayAndBack(c); ended.Store(true) })
			checkPanic(t, panicOf(func() {
				freerun.Join(c, func(c *freerun.Context) int { f(c); explode("left"); return 0 }, g)
			}), "left")
			if !ended.Load() {
				t.Fatal("the join ended before its branch")
			}
		}
	})
}

// TestJoinClosed closes a runtime while joins wait for branches that end only then.
func TestJoinClosed(t *testing.T) {
	for range 30 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		begun := make(chan struct{})
		f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			f, g := stolenBranch(func(c *freerun.Context) {
				close(begun)
				<-c.Done()
				fib.Run(c, 12)
			})
			freerun.Join(c, f, g)
			freerun.For(c, 100, func(c *freerun.Context, i int) { fib.Run(c, 3) })
			return fib.Run(c, 15), nil
		})
		<-begun
		rt.Close()
		if v, err := f.Result(); v != 610 || err != nil {
			t.Fatalf("after Close: %d, %v", v, err)
		}
	}
}

// TestJoinStuck closes a runtime in which a join waits for a branch that does not end in time: the
// error names the operation, and it ends later.
func TestJoinStuck(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	begun, release, ended := make(chan struct{}), make(chan struct{}), make(chan int)
	stuck.Send(rt.Context(), func(c *freerun.Context) {
		f, g := stolenBranch(func(c *freerun.Context) { close(begun); <-release; fib.Run(c, 10) })
		freerun.Join(c, f, g)
		f, g = func(*freerun.Context) (none struct{}) { return none }, func(c *freerun.Context) (none struct{}) { fib.Run(c, 5); return none }
		freerun.Join(c, f, g)
		ended <- fib.Run(c, 10)
	})
	<-begun
	var e *freerun.ShutdownError
	if err := rt.Close(); !errors.As(err, &e) || !slices.Contains(e.Running, "freerun_test.stuck") {
		t.Errorf("closed with %v", err)
	}
	close(release)
	if got := <-ended; got != 55 {
		t.Errorf("fib(10) = %d at the end", got)
	}
}

// TestJoinForward has branches forward, which only the operation may.
func TestJoinForward(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	forward := func(c *freerun.Context) error {
		_, err := freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return 1, nil }))
		return err
	}
	f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		x, y := freerun.Join(c, forward, forward)
		freerun.For(c, 3, func(c *freerun.Context, _ int) {
			if err := forward(c); err == freerun.ErrForward {
				t.Error("a loop may forward")
			}
		})
		for _, err := range []error{x, y} {
			if err == freerun.ErrForward || !errors.Is(err, freerun.ErrForward) || !strings.Contains(err.Error(), "branch") {
				t.Errorf("a branch that forwards is told %v", err)
			}
		}
		return freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return 7, nil }))
	})
	if got := runtimetest.Must(t, f); got != 7 {
		t.Errorf("the operation forwarded 7, and gave %d", got)
	}
}

// TestJoinSends has branches send, here and elsewhere.
func TestJoinSends(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	sum := freerun.NewUnit(rt, 0)
	runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		freerun.For(c, 1000, func(c *freerun.Context, i int) { add.Tell(c, sum, i) })
		f, g := stolenBranch(func(c *freerun.Context) { add.Tell(c, sum, 500) })
		freerun.Join(c, f, g)
		return 0, nil
	}))
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if got := runtimetest.Must(t, add.Send(rt.Context(), sum, 0)); got != 500_000 {
		t.Errorf("sum is %d", got)
	}
}
