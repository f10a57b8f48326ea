package freerun_test

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestGrowingGOMAXPROCS: goroutines on Ps that were added after the runtime was made can send.
func TestGrowingGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	runtime.GOMAXPROCS(64) // more than a runtime makes stripes for
	tellFromMany(t, rt, freerun.NewUnit(rt, 0), 4, 20_000)
}

// TestChainStarvesNobody: continuations of continuations, each made ready by the end of the one
// before, let other tasks have their turn.
func TestChainStarvesNobody(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	var stop atomic.Bool
	var tail freerun.Future[int]
	var body func(c *freerun.Context, v int) (int, error)
	body = func(c *freerun.Context, v int) (int, error) {
		if !stop.Load() {
			tail = freerun.Then(c, tail, body)
		}
		return v, nil
	}
	runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		tail = freerun.Go(c, func(*freerun.Context) (int, error) { return 1, nil })
		for range 3 {
			tail = freerun.Then(c, tail, body)
		}
		return 0, nil
	}))
	runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
	runtimetest.Must(t, runtimetest.Tick.Send(rt.Context(), 1))
	stop.Store(true)
}

// TestUnitsAreCollected: neither messages that are kept for use again, nor the queues, keep a unit
// that the program has dropped.
func TestUnitsAreCollected(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	type state [1 << 12]byte
	var watched []weak.Pointer[state]
	for range 100 {
		s := new(state)
		watched = append(watched, weak.Make(s))
		if err := touch.Tell(rt.Context(), freerun.NewUnit(rt, any(s)), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	kept := len(watched)
	for range 20 {
		runtime.GC()
		kept = 0
		for _, w := range watched {
			if w.Value() != nil {
				kept++
			}
		}
		if kept == 0 {
			return
		}
	}
	t.Errorf("%d of %d units are still there", kept, len(watched))
}

var touch = freerun.Op("touch", func(*freerun.Context, *any, int) (int, error) { return 0, nil })

// TestShutdownRunsWhatWasAccepted: a Shutdown that returns nil runs each message that Tell has
// accepted, however close the two calls come.
func TestShutdownRunsWhatWasAccepted(t *testing.T) {
	for range 200 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		u := freerun.NewUnit(rt, 0)
		var accepted atomic.Uint64
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for runtimetest.AddOne.Tell(rt.Context(), u, 1) == nil {
					accepted.Add(1)
				}
			})
		}
		for range 20 {
			runtime.Gosched()
		}
		err := rt.Shutdown(context.Background())
		wg.Wait()
		if ran := u.Stats().Operations; err != nil || ran != accepted.Load() {
			t.Fatalf("%d accepted, %d run: %v", accepted.Load(), ran, err)
		}
	}
}

// TestCrashWakesTheReady: a panic fails a future whose waiter does not need it any more, and the
// waiter runs.
func TestCrashWakesTheReady(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	f := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); panic("oh") })
	<-g.Entered
	all := []freerun.Future[int]{f}
	h := runtimetest.SumWide.Send(rt.Context(), runtimetest.Wide{All: all})
	all[0] = freerun.Resolved(1) // a misuse, which must not end the process
	close(g.Opened)
	if v := runtimetest.Must(t, h); v != 1 {
		t.Error(v)
	}
}

type panickingHandler struct{ slog.Handler }

func (panickingHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (panickingHandler) Handle(context.Context, slog.Record) error { panic("handler") }

func TestPanicInTheLogger(t *testing.T) {
	rt := freerun.New(freerun.Logger(slog.New(panickingHandler{})))
	defer rt.Close()
	u := freerun.NewUnit(rt, 0)
	if _, err := runtimetest.Panicking.Send(rt.Context(), u, 1).Wait(runtimetest.Within(t)); err == nil {
		t.Error("no error")
	}
	if err := runtimetest.FailWith.Tell(rt.Context(), u, errors.New("boom")); err != nil {
		t.Error(err)
	}
	if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); v != 1 {
		t.Error(v)
	}
}

// TestWaitForWhatFailedWithWouldBlock: an outcome comes before a canceled context, whatever the
// outcome is.
func TestWaitForWhatFailedWithWouldBlock(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if _, err := freerun.Failed[int](freerun.ErrWouldBlock).Wait(ctx); !errors.Is(err, freerun.ErrWouldBlock) {
			t.Fatal(err)
		}
	}
}

// TestScanOfAVeryLongList: the scan follows links without a stack that grows with them.
func TestScanOfAVeryLongList(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	l := list.New()
	for range 300_000 {
		l.PushBack(1)
	}
	g := runtimetest.NewGate()
	f := freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (int, error) { <-g.Opened; return 3, nil })
	l.PushBack(f)
	h := lastOf.Send(rt.Context(), l)
	close(g.Opened)
	if v := runtimetest.Must(t, h); v != 3 {
		t.Error(v)
	}
}

var lastOf = freerun.FreeOp("lastOf", func(_ *freerun.Context, l any) (int, error) {
	return l.(*list.List).Back().Value.(freerun.Future[int]).Value(), nil
})

type (
	renamed  freerun.Future[any]
	withUnit struct {
		*freerun.Unit[int]
		F freerun.Future[int]
	}
	withScope struct {
		context.Context
		F freerun.Future[int]
	}
	embedded   struct{ freerun.Future[int] }
	manyShapes struct {
		A withUnit
		B withScope
		C embedded
		D *freerun.Future[int]
		E [0]freerun.Future[int]
	}
)

var (
	takeShapes = freerun.FreeOp("takeShapes", func(_ *freerun.Context, m manyShapes) (int, error) {
		return m.A.F.Value() + m.B.F.Value() + m.C.Value() + m.D.Value(), nil
	})
	takeRenamed = freerun.FreeOp("takeRenamed", func(_ *freerun.Context, r renamed) (any, error) {
		return freerun.Future[any](r).Value(), nil
	})
)

// TestScanFindsWhatIsEmbedded: futures beside embedded units and contexts, embedded ones, behind
// pointers, under other names.
func TestScanFindsWhatIsEmbedded(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for range 100 {
		one := func() freerun.Future[int] {
			return freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { runtime.Gosched(); return 1, nil })
		}
		d := one()
		m := manyShapes{
			A: withUnit{freerun.NewUnit(rt, 0), one()}, B: withScope{t.Context(), one()}, C: embedded{one()}, D: &d,
		}
		if v := runtimetest.Must(t, takeShapes.Send(rt.Context(), m)); v != 4 {
			t.Fatal(v)
		}
		f := freerun.Go(rt.Context(), func(*freerun.Context) (any, error) { return "x", nil })
		if v := runtimetest.Must(t, takeRenamed.Send(rt.Context(), renamed(f))); v != "x" {
			t.Fatal(v)
		}
	}
}
