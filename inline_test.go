package freerun_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// The ends that a small operation may have.
const (
	smallValue = iota
	smallError
	smallPanic
	smallExit
	smallForward
	smallForwardDropped
	smallForwardOther
)

var errSmall = errors.New("small")

var small = freerun.SmallOp("small", func(c *freerun.Context, kind int) (int, error) {
	switch kind {
	case smallError:
		return 0, errSmall
	case smallPanic:
		panic("small")
	case smallExit:
		runtime.Goexit()
	case smallForward:
		return freerun.Forward(c, runtimetest.AddTwo.Send(c, runtimetest.Pair{X: freerun.Resolved(1), Y: freerun.Resolved(2)}))
	case smallForwardDropped:
		freerun.Forward(c, runtimetest.AddTwo.Send(c, runtimetest.Pair{X: freerun.Resolved(1), Y: freerun.Resolved(2)}))
	case smallForwardOther:
		_, err := freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (string, error) { return "", nil }))
		return 0, err
	}
	return 7, nil
})

// smallSum needs futures, and its result holds one.
var smallSum = freerun.SmallOp("smallSum", func(c *freerun.Context, p runtimetest.Pair) (box, error) {
	return box{runtimetest.AddTwo.Send(c, p)}, nil
})

type box struct{ f freerun.Future[int] }

// TestSmallOutcomes: a small operation has the same outcome inlined and queued.
func TestSmallOutcomes(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	outside := func(kind int) (int, error) { return small.Send(rt.Context(), kind).Wait(runtimetest.Within(t)) }
	inside := func(kind int) (int, error) {
		return freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, small.Send(c, kind)) }).Wait(runtimetest.Within(t))
	}
	for name, send := range map[string]func(int) (int, error){"outside": outside, "inside": inside} {
		for kind, want := range []struct {
			value int
			err   error
		}{{7, nil}, {0, errSmall}, {0, nil}, {0, freerun.ErrGoexit}, {3, nil}, {0, freerun.ErrForward}, {0, freerun.ErrForward}} {
			v, err := send(kind)
			if kind == smallPanic {
				var p *freerun.PanicError
				if !errors.As(err, &p) || p.Operation != "freerun_test.small" || p.Value != "small" || !strings.Contains(string(p.Stack), "inline_test.go") {
					t.Errorf("%s: a panic came to %v", name, err)
				}
			} else if v != want.value || !errors.Is(err, want.err) {
				t.Errorf("%s, kind %d: %d, %v, want %d, %v", name, kind, v, err, want.value, want.err)
			}
		}
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
}

// TestSmallRunsAtOnce: an operation on the only processor inlines small ones, up to smallRuns, so
// that others get their turn.
func TestSmallRunsAtOnce(t *testing.T) {
	const sends = 10_000
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	atOnce := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		n := 0
		for range sends {
			if _, err := small.Send(c, smallValue).Result(); err == nil {
				n++
			} else if !errors.Is(err, freerun.ErrWouldBlock) {
				return 0, err
			}
		}
		return n, nil
	}))
	if atOnce == 0 || atOnce > sends/10 {
		t.Errorf("%d of %d small operations were run at once", atOnce, sends)
	}
	if _, err := small.Send(rt.Context(), smallValue).Result(); err != nil && !errors.Is(err, freerun.ErrWouldBlock) {
		t.Error(err)
	}
}

// TestSmallPanicHarmsNoSender: the operation that sent a small one goes on after its panic.
func TestSmallPanicHarmsNoSender(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	v := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (string, error) {
		_, err := small.Send(c, smallPanic).Result()
		return err.Error(), nil
	}))
	if !strings.Contains(v, "freerun_test.small panicked: small") {
		t.Errorf("the sender saw %q", v)
	}
	if s := rt.Stats(); s.Panics != 1 {
		t.Errorf("stats %+v", s)
	}
}

// TestSmallWithFutures: a small operation is inlined only if the futures in its argument have their
// results, and it waits for the futures in its result.
func TestSmallWithFutures(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	slow := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	waits := freerun.Go(rt.Context(), func(c *freerun.Context) (box, error) {
		return freerun.Forward(c, smallSum.Send(c, runtimetest.Pair{X: slow, Y: freerun.Resolved(2)}))
	})
	failed := freerun.Go(rt.Context(), func(c *freerun.Context) (box, error) {
		return freerun.Forward(c, smallSum.Send(c, runtimetest.Pair{X: freerun.Failed[int](errSmall), Y: freerun.Resolved(2)}))
	})
	close(g.Opened)
	if v := runtimetest.Must(t, waits).f.Value(); v != 3 {
		t.Errorf("the sum is %d", v)
	}
	if _, err := failed.Wait(runtimetest.Within(t)); !errors.Is(err, errSmall) {
		t.Errorf("with a failed future: %v", err)
	}
}

// TestSmallTree: a deep tree of small operations on several processors.
func TestSmallTree(t *testing.T) {
	for _, processors := range []int{1, 2, 4} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		n, want := 22, 17711
		if goid.WalksStack {
			n, want = 17, 1597
		}
		if v := runtimetest.Must(t, smallFib.Send(rt.Context(), n)); v != want {
			t.Errorf("fib(%d) = %d on %d processors, want %d", n, v, processors, want)
		}
		if s := rt.Stats(); s.Sent != s.Done || s.Sent < uint64(want) {
			t.Errorf("stats %+v", s)
		}
	}
}

var smallFib = freerun.SmallOp[int, int]("smallFib", nil)

var smallAdd = freerun.SmallOp("smallAdd", func(_ *freerun.Context, p runtimetest.Pair) (int, error) { return p.X.Value() + p.Y.Value(), nil })

var _ = freerun.Define(smallFib, func(c *freerun.Context, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	return freerun.Forward(c, smallAdd.Send(c, runtimetest.Pair{X: smallFib.Send(c, n-1), Y: smallFib.Send(c, n-2)}))
})

// TestSmallAllocatesNothing: an inlined operation allocates nothing.
func TestSmallAllocatesNothing(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	n := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (float64, error) {
		return testing.AllocsPerRun(100, func() { smallAdd.Send(c, runtimetest.Pair{X: freerun.Resolved(1), Y: freerun.Resolved(2)}) }), nil
	}))
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
