package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
)

// TestCancelsScope has a panic stop a unit, in each way: its scope is canceled, with the error that
// stopped the unit as the cause of all that ends with it.
func TestCancelsScope(t *testing.T) {
	for name, options := range map[string][]freerun.UnitOption{
		"stop":             {freerun.StopOnPanic()},
		"used up":          {freerun.RestartOnPanic(seven, 2, time.Hour)},
		"after a back-off": {freerun.RestartOnPanic(seven, 2, time.Hour), freerun.BackOff(time.Millisecond, time.Second)},
		"factory":          {freerun.RestartOnPanic(func() int { panic("no") }, 1, time.Hour)},
	} {
		for _, how := range []freerun.Option{freerun.Processors(2), freerun.Deterministic(1)} {
			for _, inside := range []bool{false, true} { // what panics is in the scope
				rt, _ := runtimetest.Start(t, how)
				s := rt.Scope(t.Context(), freerun.ScopeName("whole"))
				below := rt.Scope(s.Context())
				var before, after error
				u := freerun.NewUnit(rt, 7, append(options, freerun.CancelsScope(s), freerun.OnPanic(func(p freerun.PanicReport) {
					if p.Stopped {
						before = context.Cause(s.Context())
					} else if after = s.Context().Err(); after != nil {
						t.Errorf("%s: a restart has canceled the scope", name)
					}
				}))...)
				c := rt.Context()
				if inside {
					c = s.Context()
				}
				_, late := runtimetest.AddOne.SendAfter(below.Context(), time.Hour, freerun.NewUnit(rt, 1), 1)
				waits := runtimetest.AddOne.Send(s.Context(), freerun.NewUnit(rt, 1), runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 1, nil })))
				runtimetest.Must(t, waits)
				watch := freerun.Watch(rt.Context(), u)
				for range 3 {
					if _, err := breakIt.Send(c, u, false).Wait(t.Context()); err == nil {
						t.Errorf("%s: no panic", name)
					}
				}
				e := runtimetest.Must(t, watch)
				why, _ := errors.AsType[*freerun.StoppedError](e.Err)
				for what, err := range map[string]error{
					"the cause": context.Cause(s.Context()), "the cause in the hook": before, "the cause below": context.Cause(below.Context()),
					"a message": errorOf(runtimetest.AddOne.Send(s.Context(), freerun.NewUnit(rt, 1), 1)), "Wait": s.Wait(t.Context()),
				} {
					if restarted := name == "used up" || name == "after a back-off"; what == "Wait" && inside && restarted {
						continue // the first panic was the scope's first failure
					}
					got, ok := errors.AsType[*freerun.StoppedError](err)
					if !ok || got != why || !errors.Is(err, freerun.ErrStopped) {
						t.Errorf("%s, inside %v: %s is %v, and not %v", name, inside, what, err, why)
					}
				}
				failure, _ := errors.AsType[*freerun.ScopeError](s.Wait(t.Context()))
				if failure == nil || failure.Scope != "whole" || failure.Operation == "" {
					t.Errorf("%s, inside %v: Wait returns %#v", name, inside, failure)
				}
				if late.Stop() {
					t.Errorf("%s: a timer below goes on", name)
				}
			}
		}
	}
}

// errorOf returns the error of a future.
func errorOf(f freerun.Future[int]) error {
	_, err := f.Wait(context.Background())
	return err
}

// TestCancelsScopeNot has units end otherwise, which cancels nothing; and scopes end before, by
// whom nothing is changed.
func TestCancelsScopeNot(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	c, s := rt.Context(), rt.Scope(t.Context())
	defer s.Cancel(nil)
	part := func(s *freerun.Scope) *freerun.Unit[int] {
		return freerun.NewUnit(rt, 7, freerun.RestartOnPanic(seven, 1, time.Hour), freerun.CancelsScope(s),
			freerun.OnEnd(func(_ *freerun.Context, n *int) {
				if *n < 0 {
					panic("no end")
				}
			}))
	}
	told, ends := part(s), part(s)
	breakIt.Send(c, told, false)
	runtimetest.Must(t, freerun.Stop(c, told))
	breakIt.Send(c, told, false) // it is refused
	runtimetest.AddOne.Send(c, ends, -100)
	if _, err := freerun.Stop(c, ends).Wait(t.Context()); err == nil {
		t.Error("the function of OnEnd did not panic")
	}
	read := part(s)
	for range 3 { // what only looks is no fault
		freerun.Read(c, read, func(*freerun.Context, *int) (int, error) { panic("looks") })
	}
	if err := rt.Quiesce(t.Context()); err != nil || s.Context().Err() != nil {
		t.Errorf("%v; the scope: %v", err, context.Cause(s.Context()))
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	over, why := rt.Scope(t.Context()), errors.New("over")
	over.Cancel(why)
	u := part(over)
	for range 2 {
		breakIt.Send(c, u, false)
	}
	if err := rt.Quiesce(t.Context()); err != nil || context.Cause(over.Context()) != why || over.Wait(t.Context()) != nil {
		t.Errorf("%v; a scope that has ended: %v, %v", err, context.Cause(over.Context()), over.Wait(t.Context()))
	}
	if _, err := runtimetest.AddOne.Send(c, u, 1).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("the unit of that scope: %v", err)
	}
	// A scope that fails before keeps its first failure.
	first, failed := errors.New("first"), rt.Scope(t.Context())
	v := part(failed)
	freerun.Go(failed.Context(), func(*freerun.Context) (int, error) { return 0, first })
	if err := rt.Quiesce(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		breakIt.Send(c, v, false)
	}
	if err := rt.Quiesce(t.Context()); err != nil || !errors.Is(context.Cause(failed.Context()), freerun.ErrStopped) || !errors.Is(failed.Wait(t.Context()), first) {
		t.Errorf("%v; a scope that had failed: %v, %v", err, context.Cause(failed.Context()), failed.Wait(t.Context()))
	}
	// Units of a Shutdown are told to stop, too.
	part(s)
	if err := rt.Shutdown(t.Context()); err != nil || s.Wait(t.Context()) != nil {
		t.Error(err, s.Wait(t.Context()))
	}
}

var limb = freerun.NewKind("limb", func(*freerun.Context, int) (int, error) { return 7, nil }, freerun.Restarts(1, time.Hour))

// TestCancelsScopeOfKind has units of a kind cancel a scope in one of two runtimes.
func TestCancelsScopeOfKind(t *testing.T) {
	rt, other := startQuiet(t), startQuiet(t)
	s := rt.Scope(t.Context())
	limb.Configure(rt, freerun.CancelsScope(s))
	for key := range 3 {
		breakIt.Send(other.Context(), limb.At(other.Context(), key), false)
		breakIt.Send(other.Context(), limb.At(other.Context(), key), false).Wait(t.Context())
		breakIt.Send(rt.Context(), limb.At(rt.Context(), key), false).Wait(t.Context())
	}
	if err := context.Cause(s.Context()); err != nil {
		t.Errorf("restarts, and another runtime: %v", err)
	}
	for key := range 2 {
		breakIt.Send(rt.Context(), limb.At(rt.Context(), key), false).Wait(t.Context())
		why, ok := errors.AsType[*freerun.StoppedError](context.Cause(s.Context()))
		if !ok || why.Restarts != 1 || why.Err == nil {
			t.Errorf("the scope: %v", context.Cause(s.Context()))
		}
	}
	if err := s.Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Error(err)
	}
}

// TestCancelsScopeRaces has two units, a goroutine and the end of a runtime cancel one scope, while
// messages are sent in it: there is one cause, and each message has an outcome.
func TestCancelsScopeRaces(t *testing.T) {
	for round := range 40 {
		rt := startQuiet(t)
		s, why := rt.Scope(t.Context(), freerun.FailFast()), errors.New("why")
		if round%2 == 0 {
			s = rt.Scope(t.Context())
		}
		units := [2]*freerun.Unit[int]{}
		for i := range units {
			units[i] = freerun.NewUnit(rt, 7, freerun.RestartOnPanic(seven, 1, time.Hour), freerun.BackOff(time.Microsecond, time.Millisecond), freerun.CancelsScope(s))
		}
		var all []freerun.Future[int]
		var ends sync.WaitGroup
		for i, u := range units {
			for n := range 50 {
				all = append(all, runtimetest.AddOne.Send(s.Context(), u, 1))
				if n == 20 || n == 30 {
					c := rt.Context()
					if round%3 == 0 {
						c = s.Context()
					}
					all = append(all, breakIt.Send(c, u, (i+n+round)%4 == 0))
				}
			}
		}
		ends.Go(func() {
			if round%4 < 2 {
				s.Cancel(why)
			}
		})
		ends.Go(func() {
			if round%5 == 0 {
				rt.Close()
			} else if err := rt.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
		ends.Wait()
		rt.Close()
		cause := context.Cause(s.Context())
		for _, f := range all {
			_, err := f.Result()
			_, panicked := errors.AsType[*freerun.PanicError](err)
			if errors.Is(err, freerun.ErrWouldBlock) || err != nil && !panicked && !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrClosed) && !errors.Is(err, freerun.ErrStopped) {
				t.Fatalf("a message: %v", err)
			}
		}
		if round%5 != 0 && cause == nil || cause != nil && !errors.Is(cause, freerun.ErrStopped) && cause != why && !errors.Is(cause, freerun.ErrClosed) {
			// A FailFast scope may be canceled because of a panic.
			if _, panicked := errors.AsType[*freerun.PanicError](cause); !panicked {
				t.Errorf("the cause: %v", cause)
			}
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Errorf("%+v", s)
		}
	}
}

// escalating numbers the kinds that TestCancelsScopeMisuse declares.
var escalating atomic.Int64

func TestCancelsScopeMisuse(t *testing.T) {
	rt, other := startQuiet(t), startQuiet(t)
	const made = "freerun: a nil or zero Scope; make scopes with Runtime.Scope, and send outside of scopes through Runtime.Context"
	const foreign = "freerun: CancelsScope with a scope of another runtime than the unit's"
	const unused = "freerun: CancelsScope for a unit that no panic stops; it needs StopOnPanic, RestartOnPanic, or Restarts for a kind"
	mine, theirs := freerun.CancelsScope(rt.Scope(t.Context())), freerun.CancelsScope(other.Scope(t.Context()))
	fresh := func(*freerun.Context, int) (int, error) { return 0, nil }
	nth := escalating.Add(1) // the declaration takes the name, though its option is refused
	misuse.Check(t, misuse.Calls{
		"nil":                             {made, func() { freerun.CancelsScope(nil) }},
		"zero":                            {made, func() { freerun.CancelsScope(new(freerun.Scope)) }},
		"another runtime":                 {foreign, func() { freerun.NewUnit(rt, 1, freerun.StopOnPanic(), theirs) }},
		"another runtime than the kind's": {foreign, func() { limb.Configure(rt, theirs) }},
		"nothing stops it":                {unused, func() { freerun.NewUnit(rt, 1, mine) }},
		"nothing stops a kind":            {unused, func() { unrestarted.Configure(rt, mine) }},
		"a kind that is declared": {
			"freerun: CancelsScope in NewKind, and a scope is of one runtime; use Configure",
			func() { freerun.NewKind(fmt.Sprint("escalates", nth), fresh, mine, freerun.StopOnPanic()) },
		},
	})
}
