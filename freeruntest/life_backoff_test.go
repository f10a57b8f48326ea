package freeruntest_test

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// delays are the options of a unit that lies still after its restarts.
type delays struct {
	least, most time.Duration
	restarts    int
	window      time.Duration
}

var (
	usualDelays = delays{2 * time.Millisecond, 6 * time.Millisecond, 3, 20 * time.Millisecond}

	// attend returns the time at which it runs, and how many messages the state has seen.
	attend = freerun.Op("attend", func(c *freerun.Context, p *patient, fault bool) (attendance, error) {
		p.since++
		if fault {
			panic(errPatient)
		}
		return attendance{c.Runtime().Now(), p.since}, nil
	})
	restless = freerun.NewKind("restless", func(c *freerun.Context, _ int) (patient, error) {
		return patient{}, nil
	}, freerun.Restarts(usualDelays.restarts, usualDelays.window), freerun.BackOff(usualDelays.least, usualDelays.most))
)

type attendance struct {
	at    time.Time
	since int
}

// TestLifeBackOff has a unit, and one of a kind, panic at drawn instants of virtual time, and
// compares the instants at which all messages run with a model: none before the end of a back-off,
// and each at that end, in the order of sending.
func TestLifeBackOff(t *testing.T) {
	freeruntest.Explore(t, lifeBackOff(t, usualDelays, false))
	freeruntest.Explore(t, lifeBackOff(t, usualDelays, true))
}

// TestLifeBackOffFinds holds that the exploration of TestLifeBackOff finds delays that are off.
func TestLifeBackOffFinds(t *testing.T) {
	for name, change := range map[string]func(d *delays){
		"the least is longer":   func(d *delays) { d.least++ },
		"the most is shorter":   func(d *delays) { d.most-- },
		"it does not double":    func(d *delays) { d.most = d.least },
		"it doubles once more":  func(d *delays) { d.most = 8 * time.Millisecond },
		"the window is shorter": func(d *delays) { d.window-- },
		"it does not lie still": func(d *delays) { d.least, d.most = 1, 1 },
	} {
		wrong := usualDelays
		change(&wrong)
		mustFind(t, name, func(t testing.TB) func(*freerun.Runtime) { return lifeBackOff(t, wrong, false) })
	}
}

// awaited is a message of lifeBackOff, and what the model says of it.
type awaited struct {
	future freerun.Future[attendance]
	err    error
	at     time.Time
	since  int // 0: not known
}

// lifeBackOff is the body of TestLifeBackOff, with a unit that may have other delays than the
// model.
func lifeBackOff(t testing.TB, d delays, kind bool) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		ctx, c, random := t.Context(), rt.Context(), freeruntest.Random(rt)
		var u *freerun.Unit[patient]
		if kind {
			u = restless.At(c, 1)
		} else {
			u = freerun.NewUnit(rt, patient{}, freerun.RestartOnPanic(func() patient { return patient{} }, d.restarts, d.window), freerun.BackOff(d.least, d.most))
		}
		other := freerun.NewUnit(rt, patient{})
		model := usualDelays
		var free, otherFree time.Time // when the units go on
		var recent []time.Time
		since, over := 0, false
		var sent []awaited
		later := func(a, b time.Time) time.Time {
			if a.After(b) {
				return a
			}
			return b
		}
		// fault is what the model does when an operation panics at an instant.
		fault := func(at time.Time) {
			for len(recent) > 0 && at.Sub(recent[0]) >= model.window {
				recent = recent[1:]
			}
			if over = len(recent) == model.restarts; over {
				return
			}
			recent = append(recent, at)
			since, free = 0, at.Add(min(model.least<<(len(recent)-1), model.most))
		}
		for range 20 {
			now := rt.Now()
			at := later(now, free)
			switch random.IntN(8) {
			case 0, 1:
				pause := []time.Duration{1, model.least - 1, model.least, model.least + 1, model.most, model.window - model.most, model.window}[random.IntN(7)]
				freerun.After(c, pause).Wait(ctx)
			case 2, 3:
				m := awaited{future: attend.Send(c, u, true), at: at, err: errPatient}
				if over {
					m.err = freerun.ErrStopped
				} else {
					fault(at)
				}
				sent = append(sent, m)
			case 4: // on both units, of which the other one is held until this one goes on
				breaks := random.IntN(3) == 0
				at = later(at, otherFree)
				m := awaited{at: at, future: freerun.When2(c, other, u, func(c *freerun.Context, _, p *patient) (attendance, error) {
					if p.since++; breaks {
						panic(errPatient)
					}
					return attendance{c.Runtime().Now(), p.since}, nil
				})}
				otherFree = at
				switch {
				case over:
					m.err = freerun.ErrStopped
				case breaks:
					m.err = errPatient
					fault(at)
				default:
					since++
					m.since = since
				}
				sent = append(sent, m)
			case 5: // behind such a one, at the other unit
				sent = append(sent, awaited{future: attend.Send(c, other, false), at: later(now, otherFree)})
			case 6:
				m := awaited{at: at, future: freerun.Read(c, u, func(c *freerun.Context, p *patient) (attendance, error) {
					return attendance{c.Runtime().Now(), p.since}, nil
				}), since: since}
				if over {
					m.err = freerun.ErrStopped
				}
				sent = append(sent, m)
			default:
				m := awaited{future: attend.Send(c, u, false), at: at}
				if over {
					m.err = freerun.ErrStopped
				} else {
					since++
					m.since = since
				}
				sent = append(sent, m)
			}
		}
		for i, m := range sent {
			a, err := m.future.Wait(ctx)
			if !errors.Is(err, m.err) || m.err == errPatient && errors.Is(err, freerun.ErrStopped) {
				t.Errorf("message %d: %v, and not %v", i, err, m.err)
			}
			if err == nil && (!a.at.Equal(m.at) || m.since != 0 && a.since != m.since) {
				t.Errorf("message %d has run at %v on a state of %d, and not at %v on one of %d", i, a.at, a.since, m.at, m.since)
			}
		}
		if want := !over && free.After(rt.Now()); u.Stats().BackingOff != want && !free.Equal(rt.Now()) {
			t.Errorf("it lies still: %v", !want)
		}
	}
}

// TestLifeBackOffEnds ends runtimes while units lie still, and may stop and cancel meanwhile: a
// Shutdown runs all that waits, at once, and a Close abandons it; either has the books right.
func TestLifeBackOffEnds(t *testing.T) {
	freeruntest.Explore(t, lifeBackOffEnds(t, nil))
	for seed := range uint64(300) {
		rt := freerun.New(freerun.Deterministic(seed), freerun.Logger(slog.New(slog.DiscardHandler)))
		if lifeBackOffEnds(t, rand.New(rand.NewPCG(seed, 0)))(rt); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// lifeBackOffEnds is the body of TestLifeBackOffEnds. With random, it closes the runtime; without,
// it shuts it down.
func lifeBackOffEnds(t testing.TB, random *rand.Rand) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		ctx, c := t.Context(), rt.Context()
		random, shutdown := random, random == nil
		if shutdown {
			random = freeruntest.Random(rt)
		}
		s := rt.Scope(ctx)
		var units [3]*freerun.Unit[patient]
		for i := range units {
			options := []freerun.UnitOption{freerun.RestartOnPanic(func() patient { return patient{} }, 2+i, time.Hour), freerun.BackOff(time.Millisecond, time.Minute)}
			switch i {
			case 1:
				options = append(options, freerun.CancelsScope(s))
			case 2:
				options = append(options, freerun.MailboxLimit(3, freerun.WaitForRoom))
			}
			units[i] = freerun.NewUnit(rt, patient{}, options...)
		}
		var sent []freerun.Future[attendance]
		for range 24 {
			one := random.IntN(3)
			other := (one + 1 + random.IntN(2)) % 3
			from := c.WithPriority(freerun.Priority(random.IntN(4)))
			switch random.IntN(9) {
			case 0, 1:
				sent = append(sent, attend.Send(from, units[one], true))
			case 2:
				sent = append(sent, attend.Send(s.Context(), units[one], random.IntN(2) == 0))
			case 3:
				freerun.After(c, time.Duration(random.IntN(3))*time.Millisecond).Wait(ctx)
			case 4:
				sent = append(sent, freerun.When2(from, units[one], units[other], func(c *freerun.Context, _, _ *patient) (attendance, error) {
					return attendance{}, attend.Tell(c, units[one], random.IntN(2) == 0)
				}))
			case 5:
				if random.IntN(4) == 0 {
					freerun.Stop(from, units[one])
				}
			case 6:
				freerun.Watch(from, units[one])
			default:
				sent = append(sent, attend.Send(from, units[one], false))
			}
		}
		at, abandoned := rt.Now(), 0
		var left *freerun.ShutdownError
		var err error
		if shutdown {
			err = rt.Shutdown(ctx)
		} else if err = rt.Close(); errors.As(err, &left) {
			abandoned = int(left.Abandoned)
		}
		if err != nil && abandoned == 0 || !rt.Now().Equal(at) {
			t.Errorf("%v, after %v", err, rt.Now().Sub(at))
		}
		closed := 0
		for i, f := range sent {
			switch _, err := f.Result(); {
			case errors.Is(err, freerun.ErrClosed) && !errors.Is(err, freerun.ErrWouldBlock):
				closed++
			case err != nil && !errors.Is(err, errPatient) && !errors.Is(err, freerun.ErrStopped) && !errors.Is(err, freerun.ErrCanceled):
				t.Errorf("message %d: %v", i, err)
			}
		}
		if stats := rt.Stats(); stats.Sent != stats.Done || closed > abandoned {
			t.Errorf("%d of %d abandoned; %+v", closed, abandoned, stats)
		}
		for i, u := range units {
			if u.Stats().BackingOff {
				t.Errorf("unit %d lies still after the end", i)
			}
		}
	}
}
