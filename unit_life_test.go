package freerun_test

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
)

// TestStop ends a unit in its turn: what was sent before runs, what comes later fails.
func TestStop(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	u := freerun.NewUnit(rt, 7)
	before := runtimetest.AddOne.Send(c, u, 1)
	first, second := freerun.Stop(c, u), freerun.Stop(c, u)
	after := runtimetest.AddOne.Send(c, u, 1)
	if n := runtimetest.Must(t, before); n != 8 {
		t.Errorf("the message before: %d", n)
	}
	if !runtimetest.Must(t, first) || runtimetest.Must(t, second) {
		t.Error("the first Stop is to stop the unit, the second is not")
	}
	_, err := after.Wait(t.Context())
	var why *freerun.StoppedError
	if !errors.Is(err, freerun.ErrStopped) || !errors.As(err, &why) || why.Err != nil {
		t.Errorf("the message after: %v", err)
	}
	if _, err := freerun.When2(c, u, freerun.NewUnit(rt, 1), func(*freerun.Context, *int, *int) (int, error) { return 0, nil }).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("an operation on two units: %v", err)
	}
	if _, err := freerun.Read(c, u, func(*freerun.Context, *int) (int, error) { return 0, nil }).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("an operation that looks: %v", err)
	}
}

// TestStopAhead stops a unit ahead of what waits, by a priority. Some of that may run until a
// processor comes to the Stop, but no more than a unit runs in a row and a turn: the last fails.
func TestStopAhead(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	u := freerun.NewUnit(rt, 7)
	begun, gate := make(chan struct{}), make(chan struct{})
	running := freerun.Do(c, u, func(c *freerun.Context, n *int) (int, error) {
		c.Block(func() {
			close(begun)
			<-gate
		})
		return *n, nil
	})
	<-begun
	var waits freerun.Future[int]
	for range 10_000 {
		waits = runtimetest.AddOne.Send(c, u, 1)
	}
	stopped := freerun.Stop(c.WithPriority(freerun.High), u)
	close(gate)
	if n := runtimetest.Must(t, running); n != 7 {
		t.Errorf("the running operation: %d", n)
	}
	if !runtimetest.Must(t, stopped) {
		t.Error("not stopped")
	}
	if _, err := waits.Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("the last that waits: %v", err)
	}
}

// TestOnEnd has the end function called once, with the last state, and before the end is told.
func TestOnEnd(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	var seen []int
	u := freerun.NewUnit(rt, 7, freerun.OnEnd(func(_ *freerun.Context, n *int) { seen = append(seen, *n) }))
	watch := freerun.Watch(c, u)
	runtimetest.AddOne.Send(c, u, 1)
	freerun.Stop(c, u)
	freerun.Stop(c, u)
	if e := runtimetest.Must(t, watch); !errors.Is(e.Err, freerun.ErrStopped) || !slices.Equal(seen, []int{8}) {
		t.Errorf("%v; the function has seen %v", e.Err, seen)
	}
}

// TestOnEndPanics stops a unit whose function panics, or exits: it is stopped all the same.
func TestOnEndPanics(t *testing.T) {
	for _, exit := range []bool{false, true} {
		rt, _ := runtimetest.Start(t)
		c := rt.Context()
		u := freerun.NewUnit(rt, 7, freerun.RestartOnPanic(func() int { return 1 }, 1, time.Hour), freerun.OnEnd(func(*freerun.Context, *int) {
			if exit {
				runtime.Goexit()
			}
			panic("no end")
		}))
		_, err := freerun.Stop(c, u).Wait(t.Context())
		if _, ok := errors.AsType[*freerun.PanicError](err); !ok {
			t.Errorf("the Stop: %v", err)
		}
		if _, err := runtimetest.AddOne.Send(c, u, 1).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
			t.Errorf("a message after: %v", err)
		}
		if s := u.Stats(); s.Restarts != 0 {
			t.Errorf("%d restarts", s.Restarts)
		}
	}
}

// TestOnEndAtShutdown has a Shutdown stop the units with OnEnd, and a Close not.
func TestOnEndAtShutdown(t *testing.T) {
	for _, shutdown := range []bool{true, false} {
		rt := startQuiet(t)
		var ended, saved atomic.Int64
		store := freerun.NewUnit(rt, 0)
		for range 100 {
			u := freerun.NewUnit(rt, 0, freerun.OnEnd(func(c *freerun.Context, n *int) {
				ended.Add(1)
				saved.Add(int64(*n))
				runtimetest.AddOne.Tell(c, store, 1)
			}))
			runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1))
		}
		want := int64(100)
		if shutdown {
			if err := rt.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		} else {
			rt.Close()
			want = 0
		}
		if ended.Load() != want || saved.Load() != want {
			t.Errorf("shutdown %v: %d ended, %d saved", shutdown, ended.Load(), saved.Load())
		}
	}
}

// TestWatch has units end in each way, with a watch before and one after the end.
func TestWatch(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	fault := func(u *freerun.Unit[int]) { breakIt.Send(c, u, false) }
	for name, x := range map[string]struct {
		options []freerun.UnitOption
		end     func(u *freerun.Unit[int])
		panics  bool
	}{
		"stop":    {nil, func(u *freerun.Unit[int]) { freerun.Stop(c, u) }, false},
		"panic":   {[]freerun.UnitOption{freerun.StopOnPanic()}, fault, true},
		"used up": {[]freerun.UnitOption{freerun.RestartOnPanic(func() int { return 1 }, 1, time.Hour)}, func(u *freerun.Unit[int]) { fault(u); fault(u) }, true},
		"factory": {[]freerun.UnitOption{freerun.RestartOnPanic(func() int { panic("no") }, 1, time.Hour)}, fault, true},
	} {
		u := freerun.NewUnit(rt, 7, x.options...)
		before := freerun.Watch(c, u)
		follows := freerun.Then(c, before, func(_ *freerun.Context, e freerun.Ended) (bool, error) {
			return errors.Is(e.Err, freerun.ErrStopped), nil
		})
		x.end(u)
		after := freerun.Watch(c, u)
		for _, f := range []freerun.Future[freerun.Ended]{before, after} {
			e := runtimetest.Must(t, f)
			var why *freerun.StoppedError
			if !errors.As(e.Err, &why) || (why.Err != nil) != x.panics {
				t.Errorf("%s: %v", name, e.Err)
			}
		}
		if !runtimetest.Must(t, follows) {
			t.Errorf("%s: what waits for the watch", name)
		}
	}
}

// TestWatchEnds has watches whose units go on: they end with their scopes, and with the runtime,
// and nothing waits for them.
func TestWatchEnds(t *testing.T) {
	rt := startQuiet(t)
	c := rt.Context()
	u := freerun.NewUnit(rt, 7)
	s := rt.Scope(t.Context())
	in, out := freerun.Watch(s.Context(), u), freerun.Watch(c, u)
	follows := freerun.Handle(c, out, func(_ *freerun.Context, _ freerun.Ended, err error) (error, error) { return err, nil })
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	s.Cancel(nil)
	if _, err := in.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("the watch of a canceled scope: %v", err)
	}
	if _, err := freerun.Watch(s.Context(), u).Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("a watch in a canceled scope: %v", err)
	}
	other := startQuiet(t)
	defer other.Close()
	if _, err := freerun.Watch(other.Context(), u).Wait(t.Context()); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("a watch from another runtime: %v", err)
	}
	if err := rt.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := out.Result(); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("the watch at a Shutdown: %v", err)
	}
	if err, _ := follows.Result(); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("what waits for it: %v", err)
	}
	if _, err := freerun.Watch(c, u).Result(); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("a watch after the end: %v", err)
	}
}

// TestWatchKind has units of a kind become passive, for good and for a while.
func TestWatchKind(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	u := mortal.At(c, 1)
	if e := runtimetest.Must(t, freerun.Watch(c, u)); e.Err != nil {
		t.Errorf("a unit that was never active: %v", e.Err)
	}
	ended := func(what string, end func()) freerun.Ended {
		runtimetest.AddOne.Send(c, u, 1)
		watch := freerun.Watch(c, u)
		end()
		e := runtimetest.Must(t, watch)
		if again := runtimetest.Must(t, freerun.Watch(c, u)); again != e {
			t.Errorf("%s: %v, and then %v", what, e.Err, again.Err)
		}
		return e
	}
	if e := ended("stop by key", func() { mortal.Stop(c, 1) }); e.Err != nil {
		t.Error(e.Err)
	}
	if e := ended("stop", func() { freerun.Stop(c, u) }); e.Err != nil {
		t.Error(e.Err)
	}
	if e := ended("panic", func() { breakIt.Send(c, u, false) }); errors.Is(e.Err, freerun.ErrStopped) || e.Err == nil {
		t.Errorf("a panic: %v", e.Err)
	}
	if e := ended("used up", func() { breakIt.Send(c, u, true) }); !errors.Is(e.Err, freerun.ErrStopped) {
		t.Errorf("restarts used up: %v", e.Err)
	}
	if _, err := runtimetest.AddOne.Send(c, u, 1).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("a message to a stopped unit: %v", err)
	}
	barren := mortal.At(c, -1)
	asked := runtimetest.AddOne.Send(c, barren, 1)
	if e := runtimetest.Must(t, freerun.Watch(c, barren)); !errors.Is(e.Err, errNoDisk) {
		t.Errorf("a unit without state: %v", e.Err)
	}
	if _, err := asked.Wait(t.Context()); !errors.Is(err, errNoDisk) {
		t.Error(err)
	}
}

var mortal = freerun.NewKind("mortal", func(_ *freerun.Context, key int) (int, error) {
	if key < 0 {
		return 0, errNoDisk
	}
	return key, nil
}, freerun.Restarts(1, time.Hour))

// TestWatchKeepsNoPassiveUnit watches units that are never active: none stays in the table.
func TestWatchKeepsNoPassiveUnit(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	for key := range 100 {
		if e := runtimetest.Must(t, freerun.Watch(rt.Context(), mortal.At(rt.Context(), key))); e.Err != nil {
			t.Fatal(e.Err)
		}
	}
	awaitNoResidents(t, func() int { return freerun.Residents(mortal, rt) })
}

func awaitNoResidents(t *testing.T, residents func() int) {
	t.Helper()
	for ctx := runtimetest.Within(t); residents() > 0; time.Sleep(time.Millisecond) {
		runtime.GC()
		if ctx.Err() != nil {
			t.Fatalf("%d units stay in the table", residents())
		}
	}
}

// TestWatchesGo has watches of canceled scopes leave a unit that lives on.
func TestWatchesGo(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	u := freerun.NewUnit(rt, 7)
	for range 1000 {
		s := rt.Scope(t.Context())
		f := freerun.Watch(s.Context(), u)
		runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1)) // the watch has begun
		s.Cancel(nil)
		if _, err := f.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) {
			t.Fatal(err)
		}
	}
	runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1))
	if n := freerun.WatchesOf(u); n > 32 {
		t.Errorf("%d watches are kept", n)
	}
}

func TestLifeMisuse(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	misuse.Check(t, misuse.Calls{
		"Stop of a nil unit": {
			"freerun: send to a nil or zero Unit; make units with NewUnit",
			func() { freerun.Stop[int](rt.Context(), nil) },
		},
		"Stop through nil": {
			"freerun: send through a nil Context; use the operation's, or Runtime.Context outside",
			func() { freerun.Stop(nil, freerun.NewUnit(rt, 1)) },
		},
		"Watch of a nil unit": {
			"freerun: send to a nil or zero Unit; make units with NewUnit",
			func() { freerun.Watch[int](rt.Context(), nil) },
		},
		"Watch through nil": {
			"freerun: send through a nil Context; use the operation's, or Runtime.Context outside",
			func() { freerun.Watch(nil, freerun.NewUnit(rt, 1)) },
		},
		"a nil OnEnd": {
			"freerun: OnEnd with a nil function",
			func() { freerun.OnEnd[int](nil) },
		},
		"OnEnd of another state": {
			"freerun: OnEnd with a function for string, for a unit of int",
			func() { freerun.NewUnit(rt, 1, freerun.OnEnd(func(*freerun.Context, *string) {})) },
		},
		"OnEnd for a kind": {
			"freerun: OnEnd for a kind; use OnStop, which is told the key",
			func() { mortal.Configure(rt, freerun.OnEnd(func(*freerun.Context, *int) {})) },
		},
	})
}

// TestLifeStress ends units in all ways at once while they are sent to, alone and in pairs, and
// watched: each message runs or fails with a named error, each watch has an outcome, and nothing
// runs after an end.
func TestLifeStress(t *testing.T) {
	for round := range 30 {
		rt := startQuiet(t)
		c := rt.Context()
		s := rt.Scope(t.Context())
		var over [4]atomic.Bool
		var units [4]*freerun.Unit[int]
		for i := range units {
			units[i] = freerun.NewUnit(rt, 0, freerun.StopOnPanic(), freerun.OnEnd(func(*freerun.Context, *int) {
				if over[i].Swap(true) {
					t.Error("ended twice")
				}
			}))
		}
		step := func(i int) func(*freerun.Context, *int) (int, error) {
			return func(*freerun.Context, *int) (int, error) {
				if over[i].Load() {
					t.Error("an operation after the end")
				}
				return 0, nil
			}
		}
		var sent []freerun.Future[int]
		var watches []freerun.Future[freerun.Ended]
		for n := range 200 {
			i := n % 4
			watches = append(watches, freerun.Watch(c, units[i]), freerun.Watch(s.Context(), units[i]))
			sent = append(sent, freerun.Do(c, units[i], step(i)), freerun.Do(s.Context(), units[i], step(i)),
				freerun.When2(c, units[i], units[(i+1)%4], func(c *freerun.Context, x, y *int) (int, error) { step(i)(c, x); return step((i+1)%4)(c, y) }))
			if n == 100+round {
				freerun.Stop(c, units[0])
				breakIt.Send(c, units[1], n%2 == 0)
				go freerun.Stop(c, units[2])
				go s.Cancel(nil)
			}
		}
		var err error
		if round%2 == 0 {
			err = rt.Shutdown(t.Context())
		} else {
			err = rt.Close()
		}
		if _, ok := errors.AsType[*freerun.ShutdownError](err); err != nil && !ok {
			t.Error(err)
		}
		for _, f := range sent {
			_, err := f.Result()
			if errors.Is(err, freerun.ErrWouldBlock) || err != nil && !errors.Is(err, freerun.ErrStopped) && !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrClosed) {
				t.Fatalf("a message: %v", err)
			}
		}
		for _, f := range watches {
			_, err := f.Result()
			if err != nil && !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrClosed) || errors.Is(err, freerun.ErrWouldBlock) {
				t.Fatalf("a watch: %v", err)
			}
		}
	}
}
