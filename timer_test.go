package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// bubble runs a test in a testing/synctest bubble. There time passes when all goroutines are idle,
// and no goroutine and no timer may be left at the end.
func bubble(t *testing.T, test func(t *testing.T, rt *freerun.Runtime)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(2), freerun.Logger(slog.New(&runtimetest.Journal{})))
		defer rt.Close()
		test(t, rt)
	})
}

var sinceThen = freerun.FreeOp("sinceThen", func(_ *freerun.Context, f freerun.Future[time.Time]) (time.Duration, error) {
	return time.Since(f.Value()), nil
})

func TestAfter(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		begun := time.Now()
		f := freerun.After(rt.Context(), time.Hour)
		if _, err := f.Result(); err != freerun.ErrWouldBlock {
			t.Errorf("at once: %v", err)
		}
		late := sinceThen.Send(rt.Context(), f)
		at, err := f.Wait(t.Context())
		if err != nil || at.Sub(begun) != time.Hour {
			t.Errorf("%v, %v", at.Sub(begun), err)
		}
		if d, err := late.Wait(t.Context()); d != 0 || err != nil {
			t.Errorf("what waited for it came %v late, %v", d, err)
		}
		inside := freerun.Go(rt.Context(), func(c *freerun.Context) (time.Time, error) { return freerun.Forward(c, freerun.After(c, time.Minute)) })
		if at, err := inside.Wait(t.Context()); err != nil || at.Sub(begun) != time.Hour+time.Minute {
			t.Errorf("%v, %v", at.Sub(begun), err)
		}
	})
}

func TestSendAfter(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		u := freerun.NewUnit(rt, diary{})
		begun := time.Now()
		for i := range 5 {
			note.SendAfter(rt.Context().WithPriority(freerun.Low), time.Duration(5-i)*time.Minute, u, fmt.Sprint(5-i))
		}
		f, timer := runtimetest.Tick.SendAfter(rt.Context(), time.Hour, 1)
		sum, _ := runtimetest.AddTwo.SendAfter(rt.Context(), time.Minute, runtimetest.Pair{X: f, Y: f})
		if v, err := sum.Wait(t.Context()); v != 2 || err != nil || time.Since(begun) != time.Hour {
			t.Errorf("%v, %v after %v", v, err, time.Since(begun))
		}
		if timer.Stop() {
			t.Error("a timer that has fired was stopped")
		}
		if got := entriesOf(t, rt, u); !slices.Equal(got, []string{"low 1", "low 2", "low 3", "low 4", "low 5"}) {
			t.Error(got)
		}
		if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestTimerStop: a stopped timer fails at once, and does not fire.
func TestTimerStop(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		s := rt.Scope(t.Context())
		before := runtimetest.Ticks.Load()
		f, timer := runtimetest.Tick.SendAfter(s.Context(), time.Hour, 1)
		then := freerun.Then(s.Context(), f, func(*freerun.Context, int) (int, error) { return 1, nil })
		if !timer.Stop() || timer.Stop() {
			t.Error("Stop must tell once that it stopped the timer")
		}
		if _, err := f.Result(); !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("stopped: %v", err)
		}
		if _, err := then.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("what waited for it: %v", err)
		}
		// The error is that of then: the scope does not report a timer that was stopped.
		if err := s.Wait(t.Context()); !strings.Contains(err.Error(), "TestTimerStop") {
			t.Error(err)
		}
		time.Sleep(2 * time.Hour)
		if runtimetest.Ticks.Load() != before {
			t.Error("it fired")
		}
	})
}

// TestTimerScope: timers are awaited with their scope, and fail at once when it ends in any way.
func TestTimerScope(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		begun, cause := time.Now(), errors.New("enough")
		s := rt.Scope(t.Context())
		runtimetest.Tick.SendAfter(s.Context(), time.Hour, 1)
		freerun.After(s.Context(), 2*time.Hour)
		if err := s.Wait(t.Context()); err != nil || time.Since(begun) != 2*time.Hour {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		child := rt.Scope(s.Context())
		f, timer := runtimetest.Tick.SendAfter(child.Context(), time.Hour, 1)
		own := freerun.After(s.Context(), time.Hour)
		s.Cancel(cause)
		if _, err := own.Result(); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) {
			t.Errorf("of the scope, at once: %v", err)
		}
		synctest.Wait()
		if _, err := f.Result(); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) || timer.Stop() {
			t.Errorf("of the child: %v", err)
		}
		if err := s.Wait(t.Context()); !errors.Is(err, cause) || !strings.Contains(err.Error(), "freerun.After") {
			t.Errorf("Wait: %v", err)
		}
		if _, err := freerun.After(s.Context(), 1).Result(); !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("made later: %v", err)
		}
		limited, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		short := rt.Scope(limited)
		_, err := freerun.After(short.Context(), time.Hour).Wait(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 2*time.Hour+time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// TestTimerEnd: a Shutdown does not wait for timers. They fail, and so do the messages that wait
// for them, so that the Shutdown can end.
func TestTimerEnd(t *testing.T) {
	for name, end := range map[string]func(*freerun.Runtime, context.Context) error{
		"shutdown": (*freerun.Runtime).Shutdown,
		"close":    func(rt *freerun.Runtime, _ context.Context) error { return rt.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, rt *freerun.Runtime) {
				begun := time.Now()
				u := freerun.NewUnit(rt, 0)
				f, timer := runtimetest.AddOne.SendAfter(rt.Context(), time.Hour, u, 1)
				after := freerun.After(rt.Context(), time.Hour)
				runs := freerun.Every(rt.Context(), 2*time.Hour, func(*freerun.Context) error { t.Error("ran"); return nil })
				if err := rt.Quiesce(t.Context()); err != nil {
					t.Errorf("Quiesce: %v", err)
				}
				g := runtimetest.NewGate()
				inside := freerun.Go(rt.Context(), func(c *freerun.Context) (bool, error) {
					g.Pass()
					_, err := freerun.After(c, time.Hour).Result()
					return errors.Is(err, freerun.ErrClosed), nil
				})
				<-g.Entered
				if name == "close" {
					close(g.Opened)
					inside.Wait(t.Context())
				}
				ended := make(chan error)
				go func() { ended <- end(rt, t.Context()) }()
				for _, err := f.Result(); err == freerun.ErrWouldBlock; _, err = f.Result() {
					synctest.Wait()
				}
				if name == "shutdown" {
					close(g.Opened)
					if was := runtimetest.Must(t, inside); !was {
						t.Error("a timer made during the shutdown waits")
					}
				}
				if err := <-ended; err != nil {
					t.Error(err)
				}
				for _, err := range []error{second(f.Result()), second(after.Result())} {
					if err != freerun.ErrClosed {
						t.Errorf("after the end: %v", err)
					}
				}
				if timer.Stop() || runs.Stop() || time.Since(begun) != 0 {
					t.Errorf("not stopped, or late: %v", time.Since(begun))
				}
				if _, err := freerun.After(rt.Context(), 1).Result(); err != freerun.ErrClosed {
					t.Errorf("after the end: %v", err)
				}
			})
		})
	}
}

func second[T any](_ T, err error) error { return err }

// TestEvery: runs do not overlap and do not drift, however long they take. An error does not end
// the repetition.
func TestEvery(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		begun := time.Now()
		var at []time.Duration
		var n, inside atomic.Int32
		takes := []time.Duration{0, 30 * time.Second, 60 * time.Second, 150 * time.Second, 0, time.Second}
		over := make(chan struct{})
		timer := freerun.Every(rt.Context().WithPriority(freerun.High), time.Minute, func(c *freerun.Context) error {
			if inside.Add(1) != 1 || c.Priority() != freerun.High {
				t.Error("two overlap, or the priority is lost")
			}
			defer inside.Add(-1)
			at = append(at, time.Since(begun))
			i := int(n.Add(1)) - 1
			if i == len(takes) {
				close(over)
				return nil
			}
			time.Sleep(takes[i])
			if i == 4 {
				panic("as it should")
			}
			return errors.New("no matter")
		})
		<-over
		synctest.Wait()
		if !timer.Stop() || timer.Stop() {
			t.Error("Stop must tell once that it stopped the timer")
		}
		time.Sleep(time.Hour)
		var want []time.Duration
		for _, minute := range []int{1, 2, 3, 5, 8, 9, 10} {
			want = append(want, time.Duration(minute)*time.Minute)
		}
		if !slices.Equal(at, want) {
			t.Errorf("ran at %v, want %v", at, want)
		}
		if s := rt.Stats(); s.Lost != 6 || s.Panics != 1 || s.Sent != s.Done {
			t.Errorf("%+v", s)
		}
	})
}

// TestEveryOperation has the forms of Every with operations. A scope ends the repetition, and its
// Wait does not wait for it.
func TestEveryOperation(t *testing.T) {
	bubble(t, func(t *testing.T, rt *freerun.Runtime) {
		u := freerun.NewUnit(rt, 0)
		s := rt.Scope(t.Context())
		before := runtimetest.Ticks.Load()
		runtimetest.AddOne.Every(s.Context(), time.Minute, u, 2)
		runtimetest.Tick.Every(s.Context(), time.Hour, 1)
		time.Sleep(time.Hour + time.Second)
		if err := s.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		s.Cancel(nil)
		time.Sleep(time.Hour)
		if v, err := runtimetest.AddOne.Send(rt.Context(), u, 0).Wait(t.Context()); v != 120 || err != nil || runtimetest.Ticks.Load() != before+1 {
			t.Errorf("%v, %v, and %d", v, err, runtimetest.Ticks.Load()-before)
		}
	})
}

// TestTimerStress stops timers while they fire, under scopes that are canceled. Each message is
// run, or fails with ErrCanceled, never both.
func TestTimerStress(t *testing.T) {
	const each = 300
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for range 10 {
		s := rt.Scope(context.Background())
		var started atomic.Int64
		count := make([]freerun.Future[int], each)
		okay := int64(0)
		for i := range count {
			var timer *freerun.Timer
			count[i], timer = countOp.SendAfter(s.Context(), time.Duration(i)*time.Microsecond, &started)
			if i%3 == 0 {
				go timer.Stop()
			}
		}
		s.Cancel(nil)
		if err := s.Wait(runtimetest.Within(t)); err != nil && !errors.Is(err, freerun.ErrCanceled) {
			t.Fatal(err)
		}
		for _, f := range count {
			if _, err := f.Result(); err == nil {
				okay++
			} else if !errors.Is(err, freerun.ErrCanceled) {
				t.Fatal(err)
			}
		}
		if okay != started.Load() {
			t.Fatalf("%d run, %d with a result", started.Load(), okay)
		}
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("%+v", s)
	}
}

var countOp = freerun.FreeOp("countOp", func(_ *freerun.Context, n *atomic.Int64) (int, error) { n.Add(1); return 0, nil })

// TestTimerStressEnd ends the runtime while goroutines and operations make timers, stop them and
// cancel their scopes. Each message is run or fails, once, and each Stop reports the truth.
func TestTimerStressEnd(t *testing.T) {
	const makers, each = 3, 400
	for round := range 12 {
		rt := freerun.New(freerun.Processors(2), freerun.Logger(slog.New(&runtimetest.Journal{})))
		var started, repeated atomic.Int64
		type made struct {
			f       freerun.Future[int]
			stopped bool
		}
		work := func(c *freerun.Context) (all []made) {
			s := rt.Scope(context.Background())
			defer s.Cancel(nil)
			freerun.Every(c, 50*time.Microsecond, func(*freerun.Context) error { repeated.Add(1); return nil })
			for i := range each {
				in := c
				if i%2 == 0 {
					in = c.WithScope(s)
				}
				f, timer := countOp.SendAfter(in, time.Duration(i%7)*100*time.Microsecond, &started)
				all = append(all, made{f, i%3 == 0 && timer.Stop()})
				if i == each/2 {
					s.Cancel(nil)
				}
			}
			return all
		}
		var outside sync.WaitGroup
		var lists [makers][]made
		var ofOperations [makers][]made
		var inside [makers]freerun.Future[int]
		for i := range makers {
			outside.Go(func() { lists[i] = work(rt.Context()) })
			inside[i] = freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
				ofOperations[i] = work(c)
				return 0, nil
			})
		}
		inside[0].Wait(t.Context())
		var err error
		if round%2 == 0 {
			err = rt.Shutdown(runtimetest.Within(t))
		} else {
			err = rt.Close()
		}
		if left := (*freerun.ShutdownError)(nil); err != nil && !(errors.As(err, &left) && round%2 == 1 && left.Running == nil) {
			t.Error(err)
		}
		outside.Wait()
		all := slices.Concat(lists[:]...)
		for i, f := range inside {
			if _, err := f.Result(); err == nil {
				all = append(all, ofOperations[i]...)
			} else if err != freerun.ErrClosed {
				t.Error(err)
			}
		}
		okay, after := int64(0), started.Load()
		for i, m := range all {
			_, err := m.f.Result()
			switch {
			case err == nil:
				okay++
			case err != freerun.ErrClosed && !errors.Is(err, freerun.ErrCanceled):
				t.Errorf("round %d, timer %d: %v", round, i, err)
			}
			if m.stopped && !errors.Is(err, freerun.ErrCanceled) {
				t.Errorf("round %d, timer %d was stopped: %v", round, i, err)
			}
		}
		if okay > started.Load() || started.Load() != after {
			t.Errorf("round %d: %d have a result, %d were run by the end, %d in all", round, okay, after, started.Load())
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Errorf("round %d: %+v", round, s)
		}
	}
}
