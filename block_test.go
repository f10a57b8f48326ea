package freerun_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestBlockCostsNoParallelism has many more operations block than there are processors, until an
// operation that is sent after them has run.
func TestBlockCostsNoParallelism(t *testing.T) {
	const blocked = 100
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	release := make(chan struct{})
	all := []freerun.Future[int]{}
	for i := range blocked {
		all = append(all, freerun.Do(rt.Context(), freerun.NewUnit(rt, i), func(c *freerun.Context, n *int) (int, error) {
			c.Block(func() { <-release })
			return *n, nil
		}))
	}
	runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { close(release); return 0, nil }))
	for i, f := range all {
		if v := runtimetest.Must(t, f); v != i {
			t.Errorf("operation %d returned %d", i, v)
		}
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}

// TestBlockKeepsTheUnit: while an operation blocks, no other operation of its unit runs. Those that
// came meanwhile run after it, in order.
func TestBlockKeepsTheUnit(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, []int(nil))
	g := runtimetest.NewGate()
	first := freerun.Do(rt.Context(), u, func(c *freerun.Context, s *[]int) (int, error) {
		c.Block(g.Pass)
		c.Block(func() {}) // again, without a processor
		*s = append(*s, 0)
		return 0, nil
	})
	<-g.Entered
	const more = 300
	for i := range more {
		appended.Tell(rt.Context(), u, i+1)
	}
	runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, nil }))
	if n := u.Stats().Operations; n != 1 {
		t.Errorf("%d operations have run beside one that blocks", n-1)
	}
	close(g.Opened)
	runtimetest.Must(t, first)
	got := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *[]int) ([]int, error) { return slices.Clone(*s), nil }))
	if len(got) != more+1 || !slices.IsSorted(got) {
		t.Errorf("%d operations, in order: %v", len(got), slices.IsSorted(got))
	}
}

var appended = freerun.Op("appended", func(_ *freerun.Context, s *[]int, n int) (int, error) {
	*s = append(*s, n)
	return n, nil
})

// TestBlockThenSend: after an operation has blocked it sends, tells, forwards and returns futures
// as before.
func TestBlockThenSend(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	forwarded := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		c.Block(func() { runtimetest.AddOne.Tell(c, u, 1) })
		for range 10 {
			runtimetest.AddOne.Tell(c, u, 1)
		}
		return freerun.Forward(c, runtimetest.AddOne.Send(c, u, 1))
	})
	if v := runtimetest.Must(t, forwarded); v != 12 {
		t.Errorf("the unit counted %d", v)
	}
	held := freerun.Go(rt.Context(), func(c *freerun.Context) (box, error) {
		c.Block(func() {})
		return box{runtimetest.AddOne.Send(c, u, 1)}, nil
	})
	if v := runtimetest.Must(t, held).f.Value(); v != 13 {
		t.Errorf("a future in the result of an operation that blocked: %d", v)
	}
	then := freerun.Then(rt.Context(), forwarded, func(c *freerun.Context, v int) (int, error) {
		c.Block(func() {})
		return v + 1, nil
	})
	if v := runtimetest.Must(t, freerun.Then(rt.Context(), then, func(_ *freerun.Context, v int) (int, error) { return v + 1, nil })); v != 14 {
		t.Errorf("what waited for an operation that blocked got %d", v)
	}
	blockAndTell := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		for range 200 {
			blocker.Tell(c, u, 1)
		}
		return 0, nil
	})
	runtimetest.Must(t, blockAndTell)
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); v != 213 {
		t.Errorf("the unit counted %d", v)
	}
	if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
		t.Errorf("stats %+v", s)
	}
}

// blocker is sent by Tell, so its messages are used again.
var blocker = freerun.Op("blocker", func(c *freerun.Context, n *int, by int) (int, error) {
	c.Block(func() { *n += by })
	return *n, nil
})

func TestBlockInASmallOperation(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	v := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, blockingSmall.Send(c, 4))
	}))
	if v != 5 {
		t.Errorf("returned %d", v)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}

var blockingSmall = freerun.SmallOp("blockingSmall", func(c *freerun.Context, n int) (int, error) {
	c.Block(func() { n++ })
	return n, nil
})

// TestBlockRefusesToWait: Block is for blocking code, not for waits for futures.
func TestBlockRefusesToWait(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	open := make(chan struct{})
	waiting := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { c.Block(func() { <-open }); return 1, nil })
	_, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		defer close(open)
		var err error
		c.Block(func() {
			if _, e := waiting.Wait(t.Context()); !errors.Is(e, freerun.ErrWouldBlock) {
				t.Errorf("Wait: %v", e)
			}
			if e := rt.Quiesce(t.Context()); !errors.Is(e, freerun.ErrWouldBlock) {
				t.Errorf("Quiesce: %v", e)
			}
			err = rt.Close()
		})
		return 0, err
	}).Wait(runtimetest.Within(t))
	if !errors.Is(err, freerun.ErrWouldBlock) {
		t.Errorf("Close: %v", err)
	}
	runtimetest.Must(t, waiting)
}

// TestBlockFaults: a panic, or a Goexit, in blocking code is the operation's.
func TestBlockFaults(t *testing.T) {
	rt, j := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	for range 20 {
		_, err := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			c.Block(func() { panic("in the block") })
			return 0, nil
		}).Wait(runtimetest.Within(t))
		var p *freerun.PanicError
		if !errors.As(err, &p) || p.Value != "in the block" || !strings.Contains(p.Operation, "TestBlockFaults") {
			t.Fatalf("a panic came to %v", err)
		}
		_, err = freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			c.Block(runtime.Goexit)
			return 0, nil
		}).Wait(runtimetest.Within(t))
		if !errors.Is(err, freerun.ErrGoexit) {
			t.Fatalf("a Goexit came to %v", err)
		}
		runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1))
	}
	if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); v != 20 {
		t.Errorf("the unit counted %d", v)
	}
	if log := strings.Join(j.Texts(), "\n"); !strings.Contains(log, "block_test.go") {
		t.Error("not reported with the stack")
	}
	if s := rt.Stats(); s.Panics != 40 {
		t.Errorf("stats %+v", s)
	}
}

// TestCloseNamesBlockingOperation: Close names the operation that did not come back from its
// blocking code.
func TestCloseNamesBlockingOperation(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	blocksForLong.Tell(rt.Context(), freerun.NewUnit(rt, g), 0)
	<-g.Entered
	err := rt.Close()
	var s *freerun.ShutdownError
	if !errors.As(err, &s) || !slices.Equal(s.Running, []string{"freerun_test.blocksForLong"}) {
		t.Errorf("Close: %v", err)
	}
	close(g.Opened)
}

var blocksForLong = freerun.Op("blocksForLong", func(c *freerun.Context, g **runtimetest.Gate, _ int) (int, error) {
	c.Block((*g).Pass)
	return 0, nil
})

// TestBlockElsewhere: with the context of an ordinary goroutine, or on a goroutine that is not the
// operation's, Block is a plain call.
func TestBlockElsewhere(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	calls := 0
	rt.Context().Block(func() { calls++ })
	runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Block(func() { calls++ })
		}()
		<-done
		if rt.Processors() != 1 || calls != 2 {
			t.Errorf("%d calls", calls)
		}
		return 0, nil
	}))
}
