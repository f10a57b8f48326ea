package contracts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 4: a task starts when every future reachable from its argument is resolved.
// A wait inside an operation is refused.
// Failures and results pass on.
// A result that would wait for itself fails.

func TestWouldBlock(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	g := runtimetest.NewGate()
	open := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	f := freerun.Go(rt.Context(), func(c *freerun.Context) (string, error) {
		if _, err := open.Wait(context.Background()); !errors.Is(err, freerun.ErrWouldBlock) {
			return "", fmt.Errorf("Wait: %w", err)
		}
		if _, err := open.Wait(c); !errors.Is(err, freerun.ErrWouldBlock) {
			return "", fmt.Errorf("Wait with the context: %w", err)
		}
		if err := c.Runtime().Quiesce(c); !errors.Is(err, freerun.ErrWouldBlock) {
			return "", fmt.Errorf("Quiesce: %w", err)
		}
		if err := c.Runtime().Shutdown(c); !errors.Is(err, freerun.ErrWouldBlock) {
			return "", fmt.Errorf("Shutdown: %w", err)
		}
		if err := c.Runtime().Close(); !errors.Is(err, freerun.ErrWouldBlock) {
			return "", fmt.Errorf("Close: %w", err)
		}
		return "refused", nil
	})
	if v := runtimetest.Must(t, f); v != "refused" {
		t.Error(v)
	}
	if _, err := open.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
		t.Errorf("Result of an open future: %v", err)
	}
	close(g.Opened)
	runtimetest.Must(t, open)
	// A resolved future may be waited for anywhere.
	v := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return open.Wait(c) }))
	if v != 1 {
		t.Errorf("Wait on a resolved future inside: %d", v)
	}
}

type deepArg struct {
	Name   string
	List   []freerun.Future[int]
	ByKey  map[string]freerun.Future[int]
	hidden freerun.Future[int]
	Any    any
	Next   *deepArg
	Two    [2]freerun.Future[int]
	Unset  freerun.Future[int]
}

func (a *deepArg) sum() (n int) {
	for x := a; x != nil; x = x.Next {
		for _, f := range x.List {
			n += f.Value()
		}
		for _, f := range x.ByKey {
			n += f.Value()
		}
		n += x.hidden.Value() + x.Two[0].Value() + x.Two[1].Value()
		if f, ok := x.Any.(freerun.Future[int]); ok {
			n += f.Value()
		}
		if x.Next == a { // a ring
			break
		}
	}
	return n
}

var sumDeep = freerun.FreeOp("sumDeep", func(_ *freerun.Context, a *deepArg) (int, error) { return a.sum(), nil })

// TestDeepArgument puts futures in every place that the scan looks into, in a value that leads back
// to itself, and resolves them in turn.
func TestDeepArgument(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	var gates []*runtimetest.Gate
	held := func() freerun.Future[int] {
		g := runtimetest.NewGate()
		gates = append(gates, g)
		return freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (int, error) { <-g.Opened; return 1, nil })
	}
	level := func() *deepArg {
		return &deepArg{
			List: []freerun.Future[int]{held(), held()}, ByKey: map[string]freerun.Future[int]{"a": held(), "b": held()},
			hidden: held(), Any: held(), Two: [2]freerun.Future[int]{held(), held()},
		}
	}
	a := level()
	a.Next = level()
	a.Next.Next = a
	f := sumDeep.Send(rt.Context(), a)
	for i, g := range gates {
		if _, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
			t.Fatalf("with %d of %d futures resolved: %v", i, len(gates), err)
		}
		close(g.Opened)
	}
	if v := runtimetest.Must(t, f); v != len(gates) {
		t.Errorf("sum %d, want %d", v, len(gates))
	}
}

func TestManyFuturesInOneArgument(t *testing.T) {
	const many = 20000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	var w runtimetest.Wide
	for i := range many {
		w.All = append(w.All, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return i, nil }))
	}
	if v := runtimetest.Must(t, runtimetest.SumWide.Send(rt.Context(), w)); v != many*(many-1)/2 {
		t.Errorf("sum %d", v)
	}
	if err := runtimetest.SumWide.Tell(rt.Context(), w); err != nil {
		t.Error(err)
	}
}

// TestLongChains passes results through very many operations: by argument, and by Forward.
func TestLongChains(t *testing.T) {
	const links = 200000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	g := runtimetest.NewGate()
	f := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	for range links {
		f = runtimetest.AddTwo.Send(rt.Context(), runtimetest.Pair{X: f, Y: freerun.Resolved(1)})
	}
	close(g.Opened)
	if v := runtimetest.Must(t, f); v != links {
		t.Errorf("chain by argument: %d", v)
	}
	if v := runtimetest.Must(t, countDown.Send(rt.Context(), links)); v != 0 {
		t.Errorf("chain by Forward: %d", v)
	}
}

var countDown = freerun.FreeOp[int, int]("countDown", nil)

var _ = freerun.Define(countDown, func(c *freerun.Context, n int) (int, error) {
	if n == 0 {
		return 0, nil
	}
	return freerun.Forward(c, countDown.Send(c, n-1))
})

// TestResultHoldsFutures: a result that holds futures resolves when all of them are resolved.
func TestResultHoldsFutures(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	g := runtimetest.NewGate()
	inner := freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(*freerun.Context, *int) (int, error) { g.Pass(); return 5, nil })
	outer := freerun.Go(rt.Context(), func(*freerun.Context) (runtimetest.Wide, error) {
		return runtimetest.Wide{All: []freerun.Future[int]{inner}}, nil
	})
	<-g.Entered
	if err := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, nil }); runtimetest.Must(t, err) != 0 {
		t.Error("unreachable")
	}
	if _, err := outer.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
		t.Errorf("outer resolved before inner: %v", err)
	}
	close(g.Opened)
	if v := runtimetest.Must(t, outer); v.All[0].Value() != 5 {
		t.Errorf("inner is %d", v.All[0].Value())
	}
}

func TestFailurePassesOn(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	boom := errors.New("boom")
	calls := 0
	f := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, boom })
	g := runtimetest.AddTwo.Send(rt.Context(), runtimetest.Pair{X: f, Y: freerun.Resolved(1)})
	h := freerun.Then(rt.Context(), g, func(*freerun.Context, int) (int, error) { calls++; return 0, nil })
	_, err := h.Wait(runtimetest.Within(t))
	if !errors.Is(err, boom) || calls != 0 {
		t.Errorf("error %v, %d calls", err, calls)
	}
	if !strings.Contains(err.Error(), "runtimetest.addTwo received: boom") {
		t.Errorf("the error does not tell the chain: %v", err)
	}
	if _, err := f.Wait(runtimetest.Within(t)); err != boom {
		t.Errorf("the failed operation's own future: %v", err)
	}
	var received *freerun.ArgumentError
	if !errors.As(err, &received) {
		t.Errorf("no ArgumentError in %v", err)
	}
	inResult := freerun.Go(rt.Context(), func(*freerun.Context) (runtimetest.Wide, error) {
		return runtimetest.Wide{All: []freerun.Future[int]{f}}, nil
	})
	if _, err := inResult.Wait(runtimetest.Within(t)); !errors.Is(err, boom) {
		t.Errorf("a result with a failed future in it: %v", err)
	}
}

// TestFailureChainIsBounded sends a failure through very many operations. Its text does not grow
// with their number.
func TestFailureChainIsBounded(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	boom := errors.New("boom")
	f := freerun.Failed[int](boom)
	for range 10000 {
		f = runtimetest.AddTwo.Send(rt.Context(), runtimetest.Pair{X: f, Y: f})
	}
	_, err := f.Wait(runtimetest.Within(t))
	if !errors.Is(err, boom) || len(err.Error()) > 2000 || !strings.Contains(err.Error(), "9") {
		t.Errorf("after 10000 sends: %d bytes: %v", len(err.Error()), err)
	}
}

func TestHandle(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	boom := errors.New("boom")
	outcome := func(c *freerun.Context, v int, err error) (string, error) { return fmt.Sprint(v, " ", err), nil }
	g := runtimetest.NewGate()
	bad := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, boom })
	<-g.Entered
	late := freerun.Handle(rt.Context(), bad, outcome)
	close(g.Opened)
	for text, f := range map[string]freerun.Future[string]{
		"0 boom":  late,
		"3 <nil>": freerun.Handle(rt.Context(), freerun.Resolved(3), outcome),
		"0 oh":    freerun.Handle(rt.Context(), freerun.Failed[int](errors.New("oh")), outcome),
	} {
		if v := runtimetest.Must(t, f); v != text {
			t.Errorf("outcome %q, want %q", v, text)
		}
	}
	if _, err := freerun.Handle(rt.Context(), freerun.Future[int]{}, outcome).Result(); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("Handle of the zero Future: %v", err)
	}
	if _, err := freerun.Then(rt.Context(), freerun.Future[int]{}, func(*freerun.Context, int) (int, error) { return 0, nil }).Result(); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("Then of the zero Future: %v", err)
	}
}

// TestFailureNamesAClosure: in the chain of a failure a closure has the name of its function.
func TestFailureNamesAClosure(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	f := freerun.Then(rt.Context(), freerun.Failed[int](errors.New("boom")), func(*freerun.Context, int) (int, error) { return 0, nil })
	if _, err := f.Wait(runtimetest.Within(t)); err == nil || !strings.Contains(err.Error(), "TestFailureNamesAClosure") {
		t.Errorf("error %v", err)
	}
}

func TestForward(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	boom := errors.New("boom")
	good := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return 3, nil }))
	})
	if v := runtimetest.Must(t, good); v != 3 {
		t.Errorf("forwarded %d", v)
	}
	bad := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return 0, boom }))
	})
	if _, err := bad.Wait(runtimetest.Within(t)); err != boom {
		t.Errorf("forwarded error %v", err)
	}
	misused := freerun.Go(rt.Context(), func(c *freerun.Context) (string, error) {
		_, err := freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return 3, nil }))
		return "", err
	})
	if _, err := misused.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrForward) || !strings.Contains(err.Error(), "a future of int is forwarded by an operation whose result is string") {
		t.Errorf("a forward of another type: %v", err)
	}
	ignored := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		freerun.Forward(c, freerun.Go(c, func(*freerun.Context) (int, error) { return 3, nil }))
		return 4, nil
	})
	if _, err := ignored.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrForward) {
		t.Errorf("an ignored forward: %v", err)
	}
	early := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return freerun.Forward(c, freerun.Resolved(5)) })
	if v := runtimetest.Must(t, early); v != 5 {
		t.Errorf("a forward of what has an outcome already: %d", v)
	}
	dropped := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		v, _ := freerun.Forward(c, good)
		return v, nil
	})
	if _, err := dropped.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrForward) {
		t.Errorf("a forward whose error was dropped: %v", err)
	}
	if _, err := freerun.Forward(rt.Context(), freerun.Future[int]{}); !errors.Is(err, freerun.ErrNoFuture) {
		t.Errorf("Forward of the zero Future: %v", err)
	}
}
