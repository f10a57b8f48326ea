package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	t.Cleanup(cancel)
	return ctx
}

var (
	peekAfter = freerun.Op("peekAfter", func(c *freerun.Context, n *int, f freerun.Future[int]) (int, error) {
		return *n, nil
	})
	peekAllAfter = freerun.OpAll("peekAllAfter", func(c *freerun.Context, all []*int, f freerun.Future[int]) (int, error) {
		return len(all), nil
	})

	leaning atomic.Pointer[func(c *freerun.Context) (int, error)]
	leans   = freerun.NewKind("leans", lean)
	urgent  = freerun.NewKind("urgent", lean, freerun.UnitPriority(freerun.High))
)

// lean makes a state of what the test at hand says.
func lean(c *freerun.Context, _ int) (int, error) { return (*leaning.Load())(c) }

// waitsFor has a state wait for a message that is about to wait for the state: first the message
// waits for a promise, then the state for the message, and then the promise is kept.
func waitsFor(t *testing.T, kind *freerun.Kind[int, int], send func(c *freerun.Context, u *freerun.Unit[int], f freerun.Future[int]) freerun.Future[int]) {
	rt := startQuiet(t)
	defer rt.Close()
	c, ctx := rt.Context(), soon(t)
	p := freerun.NewPromise[int](c)
	u := kind.At(c, 1)
	f := send(c, u, p.Future())
	begun := make(chan struct{})
	make := func(c *freerun.Context) (int, error) {
		close(begun)
		return freerun.Forward(c, f)
	}
	leaning.Store(&make)
	first := peek.Send(c, u, struct{}{})
	<-begun
	time.Sleep(10 * time.Millisecond) // it waits for f
	p.Resolve(1, nil)
	for _, f := range []freerun.Future[int]{f, first} {
		if _, err := f.Wait(ctx); !errors.Is(err, freerun.ErrCycle) {
			t.Error(err)
		}
	}
}

// TestKindFindsLateCycles closes circles by a message that has waited for a future.
func TestKindFindsLateCycles(t *testing.T) {
	one := func(c *freerun.Context, u *freerun.Unit[int], f freerun.Future[int]) freerun.Future[int] {
		return peekAfter.Send(c, u, f)
	}
	t.Run("to a unit", func(t *testing.T) { waitsFor(t, leans, one) })
	t.Run("to a unit with a priority", func(t *testing.T) { waitsFor(t, urgent, one) })
	t.Run("to several", func(t *testing.T) {
		waitsFor(t, leans, func(c *freerun.Context, u *freerun.Unit[int], f freerun.Future[int]) freerun.Future[int] {
			return peekAllAfter.Send(c, []*freerun.Unit[int]{u}, f)
		})
	})
}

// TestKindFindsCyclesThroughPlainUnits has a state wait for a message to two plain units, one of
// which is held by a message that waits for the state.
func TestKindFindsCyclesThroughPlainUnits(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	a, b := freerun.NewUnit(rt, 1), freerun.NewUnit(rt, 2)
	sum := func(c *freerun.Context, a, b *int) (int, error) { return *a + *b, nil }
	for name, ask := range map[string]func(c *freerun.Context) freerun.Future[int]{
		"two": func(c *freerun.Context) freerun.Future[int] { return freerun.When2(c, a, b, sum) },
		"behind two": func(c *freerun.Context) freerun.Future[int] {
			freerun.When2(c, a, b, sum)
			return peek.Send(c, b, struct{}{})
		},
	} {
		sent := make(chan struct{})
		begin := func(c *freerun.Context) (int, error) {
			// Before, what ask sends may come ahead of the message, and there is no circle.
			c.Block(func() { <-sent })
			return freerun.Forward(c, ask(c))
		}
		leaning.Store(&begin)
		f := freerun.When2(c, a, leans.At(c, len(name)), sum)
		close(sent)
		if _, err := f.Wait(soon(t)); !errors.Is(err, freerun.ErrCycle) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var (
	heldBack = freerun.NewKind("heldBack", lean, freerun.MailboxLimit(1, freerun.WaitForRoom))
	flood    = freerun.Op("flood", func(c *freerun.Context, _ *int, to *freerun.Unit[int]) (int, error) {
		for range 10 {
			if err := peek.Tell(c, to, struct{}{}); err != nil {
				return 0, err
			}
		}
		return 1, nil
	})
)

// TestKindHoldsNobodyBack has a state wait for a unit that has flooded the mailbox.
func TestKindHoldsNobodyBack(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	for key := range 20 {
		plain := freerun.NewUnit(rt, 7)
		make := func(c *freerun.Context) (int, error) {
			time.Sleep(time.Duration(key%2) * 5 * time.Millisecond)
			return freerun.Forward(c, peek.Send(c, plain, struct{}{}))
		}
		leaning.Store(&make)
		flood.Send(c, plain, heldBack.At(c, key))
		if n, err := peek.Send(c, plain, struct{}{}).Wait(soon(t)); n != 7 || err != nil {
			t.Fatal(n, err)
		}
	}
}

var narrow = freerun.NewKind("narrow", func(c *freerun.Context, key int) (int, error) { return key, nil }, freerun.MaxActive(1))

// TestKindShutdownLetsIn begins a Shutdown while a unit waits for room.
func TestKindShutdownLetsIn(t *testing.T) {
	for range 10 {
		rt := startQuiet(t)
		c := rt.Context()
		block, blocked := make(chan struct{}), make(chan struct{}, 2)
		for key := range 2 {
			freerun.Do(c, narrow.At(c, key), func(c *freerun.Context, _ *int) (int, error) {
				c.Block(func() { blocked <- struct{}{}; <-block })
				return 0, nil
			})
			<-blocked
			// This has neither make room when it is asked to.
			peek.Send(c, narrow.At(c, key), struct{}{})
			peek.Send(c, narrow.At(c, key), struct{}{})
		}
		f := peek.Send(c, narrow.At(c, 2), struct{}{})
		time.Sleep(5 * time.Millisecond)
		done := make(chan error)
		go func() { done <- rt.Shutdown(soon(t)) }()
		time.Sleep(20 * time.Millisecond)
		close(block)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if n, err := f.Wait(t.Context()); n != 2 || err != nil {
			t.Fatal(n, err)
		}
	}
}

var shared = freerun.NewKind("shared", func(c *freerun.Context, key int) (int, error) { return key, nil }, freerun.PassivateAfter(300*time.Millisecond))

// TestKindSeveralIsUse uses a unit by operations on several units only.
func TestKindSeveralIsUse(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	other := freerun.NewUnit(rt, 1)
	sum := func(c *freerun.Context, a, b *int) (int, error) { return *a + *b, nil }
	for begin := time.Now(); time.Since(begin) < time.Second; time.Sleep(2 * time.Millisecond) {
		if _, err := freerun.When2(c, other, shared.At(c, 1), sum).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s := shared.Stats(rt); s.Passivations > 0 {
		t.Errorf("%+v", s)
	}
}

// TestKindStopLeavesNothing stops units that were never active.
func TestKindStopLeavesNothing(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c, ctx := rt.Context(), soon(t)
	for key := range 100 {
		if _, err := shared.Stop(c, key).Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for freerun.Residents(shared, rt) > 1 {
		if ctx.Err() != nil {
			t.Fatal(freerun.Residents(shared, rt))
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

var (
	savedBroken atomic.Int32
	brittle     = freerun.NewKind("brittle", func(c *freerun.Context, key int) (int, error) { return key, nil },
		freerun.StopOnPanic(), freerun.OnStop(func(*freerun.Context, int, *int) { savedBroken.Add(1) }))
)

// TestKindSavesNothingBroken stops a unit that a panic has stopped before.
func TestKindSavesNothingBroken(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	u := brittle.At(c, 1)
	freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { panic("half done") })
	if _, err := peek.Send(c, u, struct{}{}).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Error(err)
	}
	if was, err := brittle.Stop(c, 1).Wait(t.Context()); !was || err != nil || savedBroken.Load() > 0 {
		t.Error(was, err, savedBroken.Load())
	}
	if n, err := peek.Send(c, u, struct{}{}).Wait(t.Context()); n != 1 || err != nil {
		t.Error("after Stop:", n, err)
	}
}
