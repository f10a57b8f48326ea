package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var (
	lifeLook = freerun.ReadOp("lifeLook", func(_ *freerun.Context, n *int, _ int) (int, error) { return *n, nil })
	lifeMove = freerun.Op2("lifeMove", func(_ *freerun.Context, from, to *int, n int) (int, error) {
		*from -= n
		*to += n
		return *to, nil
	})
	lifeAll = freerun.OpAll("lifeAll", func(_ *freerun.Context, all []*int, _ int) (int, error) { return len(all), nil })
)

// lifeVerbs are all ways to reach a unit. Each returns the error of the message. v is another unit,
// which goes on.
var lifeVerbs = map[string]func(ctx context.Context, c *freerun.Context, u, v *freerun.Unit[int]) error{
	"Send": func(ctx context.Context, c *freerun.Context, u, _ *freerun.Unit[int]) error {
		return lifeError(runtimetest.AddOne.Send(c, u, 0).Wait(ctx))
	},
	"Send of an open argument": func(ctx context.Context, c *freerun.Context, u, _ *freerun.Unit[int]) error {
		n := freerun.After(c, time.Microsecond)
		return lifeError(freerun.Then(c, n, func(c *freerun.Context, _ time.Time) (int, error) {
			return freerun.Forward(c, runtimetest.AddOne.Send(c, u, 0))
		}).Wait(ctx))
	},
	"SendAfter": func(ctx context.Context, c *freerun.Context, u, _ *freerun.Unit[int]) error {
		f, _ := runtimetest.AddOne.SendAfter(c, time.Microsecond, u, 0)
		return lifeError(f.Wait(ctx))
	},
	"Call": func(ctx context.Context, _ *freerun.Context, u, _ *freerun.Unit[int]) error {
		return lifeError(runtimetest.AddOne.Call(ctx, u, 0))
	},
	"Do": func(ctx context.Context, c *freerun.Context, u, _ *freerun.Unit[int]) error {
		return lifeError(freerun.Do(c, u, func(_ *freerun.Context, n *int) (int, error) { return *n, nil }).Wait(ctx))
	},
	"Read": func(ctx context.Context, c *freerun.Context, u, _ *freerun.Unit[int]) error {
		return lifeError(freerun.Read(c, u, func(_ *freerun.Context, n *int) (int, error) { return *n, nil }).Wait(ctx))
	},
	"Send of a ReadOp": func(ctx context.Context, c *freerun.Context, u, _ *freerun.Unit[int]) error {
		return lifeError(lifeLook.Send(c, u, 0).Wait(ctx))
	},
	"Call of a ReadOp": func(ctx context.Context, _ *freerun.Context, u, _ *freerun.Unit[int]) error {
		return lifeError(lifeLook.Call(ctx, u, 0))
	},
	"Send of an Op2": func(ctx context.Context, c *freerun.Context, u, v *freerun.Unit[int]) error {
		return lifeError(lifeMove.Send(c, v, u, 0).Wait(ctx))
	},
	"Call of an Op2": func(ctx context.Context, _ *freerun.Context, u, v *freerun.Unit[int]) error {
		return lifeError(lifeMove.Call(ctx, u, v, 0))
	},
	"When2": func(ctx context.Context, c *freerun.Context, u, v *freerun.Unit[int]) error {
		return lifeError(freerun.When2(c, u, v, func(_ *freerun.Context, n, _ *int) (int, error) { return *n, nil }).Wait(ctx))
	},
	"WhenAll": func(ctx context.Context, c *freerun.Context, u, v *freerun.Unit[int]) error {
		return lifeError(freerun.WhenAll(c, []*freerun.Unit[int]{v, u}, func(*freerun.Context, []*int) (int, error) { return 0, nil }).Wait(ctx))
	},
	"Send of an OpAll": func(ctx context.Context, c *freerun.Context, u, v *freerun.Unit[int]) error {
		return lifeError(lifeAll.Send(c, []*freerun.Unit[int]{u, v}, 0).Wait(ctx))
	},
	"Call of an OpAll": func(ctx context.Context, _ *freerun.Context, u, v *freerun.Unit[int]) error {
		return lifeError(lifeAll.Call(ctx, []*freerun.Unit[int]{u, v}, 0))
	},
	"Send with a priority": func(ctx context.Context, c *freerun.Context, u, _ *freerun.Unit[int]) error {
		return lifeError(runtimetest.AddOne.Send(c.WithPriority(freerun.High), u, 0).Wait(ctx))
	},
}

func lifeError(_ int, err error) error { return err }

// TestStoppedRefuses has every verb meet a unit that was ended in each way, and one that was not:
// the message runs, or fails with the error that each other message fails with, and none hangs.
func TestStoppedRefuses(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c, ctx := rt.Context(), runtimetest.Within(t)
	wide := freerun.MailboxLimit(1, freerun.WaitForRoom)
	for name, end := range map[string]func() *freerun.Unit[int]{
		"by Stop": func() *freerun.Unit[int] {
			u := freerun.NewUnit(rt, 1)
			freerun.Stop(c, u)
			return u
		},
		"by Stop, with a limit": func() *freerun.Unit[int] {
			u := freerun.NewUnit(rt, 1, wide)
			freerun.Stop(c, u)
			return u
		},
		"by Stop, with a priority": func() *freerun.Unit[int] {
			u := freerun.NewUnit(rt, 1, freerun.UnitPriority(freerun.Low))
			freerun.Stop(c, u)
			return u
		},
		"by a panic": func() *freerun.Unit[int] {
			u := freerun.NewUnit(rt, 1, freerun.StopOnPanic())
			breakIt.Send(c, u, false)
			return u
		},
		"by Goexit, restarts used up": func() *freerun.Unit[int] {
			u := freerun.NewUnit(rt, 1, freerun.RestartOnPanic(func() int { return 1 }, 1, time.Hour))
			breakIt.Send(c, u, true)
			breakIt.Send(c, u, true)
			return u
		},
	} {
		u, v := end(), freerun.NewUnit(rt, 1)
		e := runtimetest.Must(t, freerun.Watch(c, u))
		for verb, send := range lifeVerbs {
			if err := send(ctx, c, u, v); !is[*freerun.StoppedError](err, e.Err) {
				t.Errorf("%s, %s: %v, and the unit has ended with %v", verb, name, err, e.Err)
			}
			if err := send(ctx, c, v, freerun.NewUnit(rt, 1)); err != nil {
				t.Errorf("%s, to a unit that goes on: %v", verb, err)
			}
		}
		if stopped := runtimetest.Must(t, freerun.Stop(c, u)); stopped {
			t.Errorf("%s: stopped again", name)
		}
	}
}

// is reports whether err is, or wraps, the very error want, which is a T.
func is[T error](err, want error) bool {
	is, ok := errors.AsType[T](err)
	return ok && error(is) == want
}

// TestStopFromInside stops a unit in its own operation, twice, and in its own end: what the
// operation sent itself before runs, what it sent later fails, and the function is called once.
func TestStopFromInside(t *testing.T) {
	for _, exit := range []bool{false, true} {
		rt := startQuiet(t)
		c := rt.Context()
		ends := 0
		var inEnd freerun.Future[bool]
		var self *freerun.Unit[int]
		self = freerun.NewUnit(rt, 0, freerun.OnEnd(func(c *freerun.Context, _ *int) {
			ends++
			inEnd = freerun.Stop(c, self)
		}))
		type sends struct {
			before, after freerun.Future[int]
			first, second freerun.Future[bool]
		}
		var s sends
		ran := freerun.Do(c, self, func(c *freerun.Context, n *int) (int, error) {
			s.before = runtimetest.AddOne.Send(c, self, 1)
			s.first, s.second = freerun.Stop(c, self), freerun.Stop(c, self)
			s.after = runtimetest.AddOne.Send(c, self, 1)
			*n = 10
			if exit {
				runtime.Goexit()
			}
			return *n, nil
		})
		if _, err := ran.Wait(runtimetest.Within(t)); (err != nil) != exit {
			t.Errorf("the operation: %v", err)
		}
		if n := runtimetest.Must(t, s.before); n != 11 {
			t.Errorf("the message before: %d", n)
		}
		if !runtimetest.Must(t, s.first) || runtimetest.Must(t, s.second) {
			t.Error("the first Stop is to stop the unit, the second is not")
		}
		if _, err := s.after.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStopped) {
			t.Errorf("the message after: %v", err)
		}
		if runtimetest.Must(t, inEnd) || ends != 1 {
			t.Errorf("%d ends", ends)
		}
		rt.Close()
	}
}

// TestStopIsCanceled has the scope of a Stop canceled before its turn: the unit goes on, and a Stop
// of another scope ends it.
func TestStopIsCanceled(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c, s := rt.Context(), rt.Scope(t.Context())
	ends := 0
	u := freerun.NewUnit(rt, 7, freerun.OnEnd(func(*freerun.Context, *int) { ends++ }))
	g := runtimetest.NewGate()
	freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	stop := freerun.Stop(s.Context(), u)
	s.Cancel(nil)
	close(g.Opened)
	if _, err := stop.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("the Stop: %v", err)
	}
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1)); n != 8 || ends != 0 {
		t.Errorf("%d, %d ends", n, ends)
	}
	if !runtimetest.Must(t, freerun.Stop(c, u)) || ends != 1 {
		t.Errorf("%d ends", ends)
	}
}

// TestStopLetsSendersGo has goroutines wait for room in the mailbox of a unit that is stopped ahead
// of what waits: none waits on, and each gets the unit's error from the first message on that the
// Stop has overtaken.
func TestStopLetsSendersGo(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c := rt.Context()
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.WaitForRoom))
	g := runtimetest.NewGate()
	freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	var senders sync.WaitGroup
	var begun atomic.Int64
	for i := range 8 {
		senders.Go(func() {
			for stopped := 0; stopped < 50; {
				begun.Add(1)
				var err error
				if i%2 == 0 {
					_, err = runtimetest.AddOne.Call(runtimetest.Within(t), u, 1)
				} else {
					_, err = runtimetest.AddOne.Send(c, u, 1).Wait(runtimetest.Within(t))
				}
				switch {
				case errors.Is(err, freerun.ErrStopped):
					stopped++
				case err != nil || stopped > 0:
					t.Errorf("a message: %v, after %d that failed", err, stopped)
					return
				}
			}
		})
	}
	for u.Stats().Waiting < 2 || begun.Load() < 8 {
		runtime.Gosched()
	}
	stop := freerun.Stop(c.WithPriority(freerun.High), u)
	close(g.Opened)
	if !runtimetest.Must(t, stop) {
		t.Error("not stopped")
	}
	senders.Wait()
}

// TestStopAndCall races Stop, a panic and a Close with goroutines that Call in each way, some with
// contexts that end meanwhile. Each Call returns, with a value or a named error; a value is of an
// operation that ran before the end; and each goroutine that has seen the end never sees a value
// again.
func TestStopAndCall(t *testing.T) {
	for round := range 60 {
		rt := startQuiet(t)
		c := rt.Context()
		var over atomic.Bool
		var options []freerun.UnitOption
		if round%2 == 0 {
			options = append(options, freerun.MailboxLimit(2, freerun.WaitForRoom))
		}
		options = append(options, freerun.StopOnPanic(), freerun.OnPanic(func(p freerun.PanicReport) { over.Store(p.Stopped) }),
			freerun.OnEnd(func(*freerun.Context, *int) { over.Store(true) }))
		u, v := freerun.NewUnit(rt, 0, options...), freerun.NewUnit(rt, 0)
		watch := freerun.Watch(c, u)
		within := runtimetest.Within(t)
		ctx, cancel := context.WithCancel(within)
		var callers sync.WaitGroup
		var called atomic.Int64
		for verb, send := range lifeVerbs {
			callers.Go(func() {
				seen := false
				for i := 0; !seen; i++ {
					ended, in := over.Load(), within
					if i%3 == 2 {
						in = ctx
					}
					err := send(in, c, u, v)
					called.Add(1)
					switch {
					case err == nil && ended:
						t.Errorf("%s: a value after the end", verb)
						seen = true
					case errors.Is(err, freerun.ErrStopped), errors.Is(err, freerun.ErrClosed):
						seen = true
					case err != nil && !(i%3 == 2 && errors.Is(err, context.Canceled)):
						t.Errorf("%s: %v", verb, err)
						seen = true
					}
				}
				if err := send(within, c, u, v); !errors.Is(err, freerun.ErrStopped) && !errors.Is(err, freerun.ErrClosed) {
					t.Errorf("%s, after the end: %v", verb, err)
				}
			})
		}
		for called.Load() < 50 {
			runtime.Gosched()
		}
		cancel()
		switch round % 3 {
		case 0:
			freerun.Stop(c, u)
		case 1:
			breakIt.Send(c, u, round%2 == 0)
		default:
			freerun.Stop(c.WithPriority(freerun.High), u)
			rt.Close()
		}
		callers.Wait()
		rt.Close()
		if e, err := watch.Result(); !errors.Is(err, freerun.ErrClosed) && (err != nil || !errors.Is(e.Err, freerun.ErrStopped)) {
			t.Errorf("the watch: %v, %v", e.Err, err)
		}
	}
}

// TestEveryOutlivesItsUnit has a repetition go on after its unit was stopped: each message fails,
// is counted, and is reported. Only its timer ends it.
func TestEveryOutlivesItsUnit(t *testing.T) {
	rt, j := runtimetest.Start(t)
	u := freerun.NewUnit(rt, 0)
	timer := runtimetest.AddOne.Every(rt.Context(), time.Microsecond, u, 1)
	runtimetest.Must(t, freerun.Stop(rt.Context(), u))
	for rt.Stats().Lost < 3 {
		runtime.Gosched()
	}
	if !timer.Stop() {
		t.Error("the repetition had ended")
	}
	if log := strings.Join(j.Texts(), "\n"); !strings.Contains(log, "unit is stopped") {
		t.Errorf("not reported: %q", log)
	}
}
