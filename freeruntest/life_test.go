package freeruntest_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// TestLifeEnds has a sender send to units, alone, in pairs and to all, look at them, call them,
// stop them and watch them, in scopes and without, in virtual time. What it sends before its Stop
// runs, what it sends afterwards fails; each watch has an outcome, and nothing waits for one that
// has none.
func TestLifeEnds(t *testing.T) {
	freeruntest.Explore(t, lifeEnds(t, func(c *freerun.Context, u *freerun.Unit[purse]) { freerun.Stop(c, u) }))
}

// TestLifeEndsFinds holds that the exploration of TestLifeEnds finds ends out of their turn.
func TestLifeEndsFinds(t *testing.T) {
	for name, wrong := range map[string]func(*freerun.Context, *freerun.Unit[purse]){
		"ahead": func(c *freerun.Context, u *freerun.Unit[purse]) { freerun.Stop(c.WithPriority(freerun.High), u) },
		"late": func(c *freerun.Context, u *freerun.Unit[purse]) {
			freerun.Go(c, func(c *freerun.Context) (struct{}, error) { freerun.Stop(c, u); return struct{}{}, nil })
		},
		"never": func(*freerun.Context, *freerun.Unit[purse]) {},
		"by a panic": func(c *freerun.Context, u *freerun.Unit[purse]) {
			freerun.Do(c, u, func(*freerun.Context, *purse) (int, error) { panic("no Stop") })
		},
	} {
		mustFind(t, name, func(t testing.TB) func(*freerun.Runtime) { return lifeEnds(t, wrong) })
	}
}

// mustFind fails t unless the exploration of body fails.
func mustFind(t *testing.T, name string, body func(t testing.TB) func(*freerun.Runtime)) {
	t.Helper()
	t.Setenv(freeruntest.Seed, "")
	os.Unsetenv(freeruntest.Seed) // the seed of another test's failure says nothing of this one
	if failed, _ := explore(t, body); !failed {
		t.Errorf("%s: the bug was not found", name)
	}
}

// lifeEnds is the body of TestLifeEnds, with a Stop that may be wrong.
func lifeEnds(t testing.TB, stop func(*freerun.Context, *freerun.Unit[purse])) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		ctx, c := t.Context(), rt.Context()
		random := freeruntest.Random(rt)
		ends := 0
		var units [3]*freerun.Unit[purse]
		for i := range units {
			units[i] = freerun.NewUnit(rt, purse{}, freerun.StopOnPanic(), freerun.OnEnd(func(c *freerun.Context, p *purse) { ends++ }))
		}
		s := rt.Scope(ctx)
		var watches []freerun.Future[freerun.Ended]
		told := freerun.NewUnit(rt, 0)
		for i := range units {
			watches = append(watches, freerun.Watch(c, units[i]))
			freerun.Then(c, watches[i], func(c *freerun.Context, _ freerun.Ended) (struct{}, error) {
				return struct{}{}, ask.Tell(c, told, struct{}{})
			})
		}
		over, broken := [3]bool{}, [3]bool{}
		var sent []freerun.Future[int]
		var runs []bool
		for range 16 {
			one := random.IntN(3)
			other := (one + 1 + random.IntN(2)) % 3
			switch random.IntN(11) {
			case 0:
				stop(c, units[one])
				over[one] = true
			case 1:
				broken[one] = broken[one] || !over[one]
				freerun.Do(c, units[one], func(*freerun.Context, *purse) (int, error) { panic("broken") })
				over[one] = true
			case 2:
				sent = append(sent, give.Send(c, units[one], units[other], 1))
				runs = append(runs, !over[one] && !over[other])
			case 3:
				freerun.Watch(s.Context(), units[one])
			case 4:
				freerun.After(c, time.Millisecond).Wait(ctx)
			case 5:
				late, _ := earn.SendAfter(s.Context(), time.Hour, units[one], 1)
				freerun.Handle(c, late, func(_ *freerun.Context, _ int, err error) (struct{}, error) { return struct{}{}, nil })
			case 6:
				sent = append(sent, freerun.Read(c, units[one], func(_ *freerun.Context, p *purse) (int, error) { return p.money, nil }))
				runs = append(runs, !over[one])
			case 7:
				sent = append(sent, freerun.WhenAll(c, units[:], func(*freerun.Context, []*purse) (int, error) { return 0, nil }))
				runs = append(runs, over == [3]bool{})
			case 8:
				if _, err := earn.Call(ctx, units[one], 1); (err != nil) != over[one] || err != nil && !errors.Is(err, freerun.ErrStopped) {
					t.Errorf("a Call: %v, and it is to fail: %v", err, over[one])
				}
			default:
				sent = append(sent, earn.Send(c, units[one], 1))
				runs = append(runs, !over[one])
			}
		}
		for i, f := range sent {
			if _, err := f.Wait(ctx); (err == nil) != runs[i] || err != nil && !errors.Is(err, freerun.ErrStopped) {
				t.Errorf("message %d: %v, and it is to run: %v", i, err, runs[i])
			}
		}
		s.Cancel(nil)
		want := 0
		for i := range units {
			if over[i] {
				e, err := watches[i].Wait(ctx)
				why, _ := errors.AsType[*freerun.StoppedError](e.Err)
				if err != nil || why == nil || (why.Err != nil) != broken[i] {
					t.Errorf("unit %d: %v, %v", i, e.Err, err)
				}
			} else if _, err := watches[i].Wait(ctx); !errors.Is(err, freerun.ErrStalled) {
				t.Errorf("unit %d, which goes on: %v", i, err)
			}
			if !broken[i] {
				want++
			}
		}
		if err := rt.Shutdown(ctx); err != nil || ends != want {
			t.Errorf("%d of %d ends, %v", ends, want, err)
		}
	}
}

// A patient is a unit that panics as it is told to. Its state is the number of messages since it
// was made.
type patient struct{ since int }

var (
	errPatient = errors.New("a fault")
	treat      = freerun.Op("treat", func(_ *freerun.Context, p *patient, fault bool) (int, error) {
		p.since++
		if fault {
			panic(errPatient)
		}
		return p.since, nil
	})
	patients = freerun.NewKind("patient", func(c *freerun.Context, _ int) (patient, error) {
		return patient{}, nil
	}, freerun.Restarts(restartsMost, restartsWindow))
)

const (
	restartsMost   = 2
	restartsWindow = 10 * time.Millisecond
)

// TestLifeRestarts has a unit, and one of a kind, panic at drawn instants of virtual time, and
// compares them with a model: a fault that finds room in the window is followed by a new state, the
// next one stops the unit. A watch has its value at the end, or when the unit of the kind lost its
// state, and not before.
func TestLifeRestarts(t *testing.T) {
	freeruntest.Explore(t, lifeRestarts(t, restartsMost, restartsWindow, false))
	freeruntest.Explore(t, lifeRestarts(t, restartsMost, restartsWindow, true))
}

// TestLifeRestartsFinds holds that the exploration of TestLifeRestarts finds a limit and a window
// that are off.
func TestLifeRestartsFinds(t *testing.T) {
	for name, wrong := range map[string]struct {
		most   int
		window time.Duration
	}{
		"one more":        {restartsMost + 1, restartsWindow},
		"one less":        {restartsMost - 1, restartsWindow},
		"a longer window": {restartsMost, restartsWindow + 1},
		"a short window":  {restartsMost, restartsWindow - 1},
	} {
		mustFind(t, name, func(t testing.TB) func(*freerun.Runtime) { return lifeRestarts(t, wrong.most, wrong.window, false) })
	}
}

// lifeRestarts is the body of TestLifeRestarts, with a unit that may have another policy than the
// model.
func lifeRestarts(t testing.TB, most int, window time.Duration, kind bool) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		ctx, c, random := t.Context(), rt.Context(), freeruntest.Random(rt)
		var u *freerun.Unit[patient]
		if kind {
			u = patients.At(c, 1)
		} else {
			u = freerun.NewUnit(rt, patient{}, freerun.RestartOnPanic(func() patient { return patient{} }, most, window))
		}
		treat.Call(ctx, u, false)
		since, over := 1, false
		var now time.Duration
		var recent []time.Duration
		var sent []freerun.Future[int]
		var want []error
		var states []int
		watch := freerun.Watch(c, u)
		var watches []freerun.Future[freerun.Ended]
		var stops []bool
		for range 12 {
			switch random.IntN(4) {
			case 0:
				d := []time.Duration{1, restartsWindow/2 - 1, restartsWindow / 2, restartsWindow}[random.IntN(4)]
				freerun.After(c, d).Wait(ctx)
				now += d
				continue
			case 1:
				sent, states = append(sent, treat.Send(c, u, true)), append(states, 0)
				if over {
					want = append(want, freerun.ErrStopped)
					continue
				}
				want = append(want, errPatient)
				for len(recent) > 0 && now-recent[0] >= restartsWindow {
					recent = recent[1:]
				}
				if over = len(recent) == restartsMost; !over {
					recent = append(recent, now)
					since = 0
				}
				if over || kind {
					watches, stops = append(watches, watch), append(stops, over)
				}
				if kind && !over { // it is active again with the next message, and watched then
					treat.Send(c, u, false)
					since = 1
					watch = freerun.Watch(c, u)
				}
			default:
				if !over {
					since++
				}
				sent, states = append(sent, treat.Send(c, u, false)), append(states, since)
				want = append(want, nil)
				if over {
					want[len(want)-1] = freerun.ErrStopped
				}
			}
		}
		for i, f := range sent {
			n, err := f.Wait(ctx)
			if !errors.Is(err, want[i]) || want[i] == errPatient && errors.Is(err, freerun.ErrStopped) || err == nil && n != states[i] {
				t.Errorf("message %d: %d, %v, and not %d, %v", i, n, err, states[i], want[i])
			}
		}
		for i, f := range watches {
			e, err := f.Wait(ctx)
			if err != nil || !errors.Is(e.Err, errPatient) || errors.Is(e.Err, freerun.ErrStopped) != stops[i] {
				t.Errorf("watch %d: %v, %v, and it is stopped: %v", i, e.Err, err, stops[i])
			}
		}
		if over { // for a kind, a Stop has the key begin anew
			if was, err := freerun.Stop(c, u).Wait(ctx); err != nil || was != kind {
				t.Errorf("a Stop after the end: %v, %v", was, err)
			}
			n, err := treat.Call(ctx, u, false)
			if kind && (n != 1 || err != nil) || !kind && !errors.Is(err, freerun.ErrStopped) {
				t.Errorf("after that Stop: %d, %v", n, err)
			}
		} else if _, err := watch.Wait(ctx); !errors.Is(err, freerun.ErrStalled) {
			t.Errorf("a watch of a unit that goes on: %v", err)
		}
	}
}
