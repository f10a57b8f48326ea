package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// lifeNote is a unit's state in the tests that race its end: who has run, and whether that was
// allowed.
type lifeNote struct {
	ran   *atomic.Int64
	ended bool
}

var lifeStep = freerun.Op("lifeStep", func(_ *freerun.Context, n *lifeNote, _ struct{}) (int, error) {
	n.ran.Add(1) // a state that was dropped has no counter
	if n.ended {
		return 0, errors.New("an operation after the end")
	}
	return 0, nil
})

// TestStopRacesMessagesWithoutFuture races the end of a unit, in each way, with messages that
// nobody waits for: told ones, and those of timers. Each that was accepted has run before the end,
// or is counted: as lost, or as abandoned.
func TestStopRacesMessagesWithoutFuture(t *testing.T) {
	ends := map[string]func(c *freerun.Context, rt *freerun.Runtime, u *freerun.Unit[lifeNote]){
		"Stop": func(c *freerun.Context, _ *freerun.Runtime, u *freerun.Unit[lifeNote]) { freerun.Stop(c, u) },
		"Stop ahead": func(c *freerun.Context, _ *freerun.Runtime, u *freerun.Unit[lifeNote]) {
			freerun.Stop(c.WithPriority(freerun.High), u)
		},
		"Stop twice": func(c *freerun.Context, _ *freerun.Runtime, u *freerun.Unit[lifeNote]) {
			go freerun.Stop(c, u)
			freerun.Stop(c, u)
		},
		"Shutdown": func(_ *freerun.Context, rt *freerun.Runtime, _ *freerun.Unit[lifeNote]) {
			rt.Shutdown(context.Background())
		},
		"Stop and Shutdown": func(c *freerun.Context, rt *freerun.Runtime, u *freerun.Unit[lifeNote]) {
			go rt.Shutdown(context.Background())
			freerun.Stop(c, u)
		},
		"Close": func(_ *freerun.Context, rt *freerun.Runtime, _ *freerun.Unit[lifeNote]) { rt.Close() },
		"Stop and Close": func(c *freerun.Context, rt *freerun.Runtime, u *freerun.Unit[lifeNote]) {
			freerun.Stop(c, u)
			rt.Close()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			for round := range 20 {
				rt := startQuiet(t)
				c := rt.Context()
				var ran, stopped, accepted atomic.Int64
				var options []freerun.UnitOption
				timers := round%4 >= 2
				if round%2 == 0 {
					options = append(options, freerun.MailboxLimit(4, freerun.WaitForRoom))
				}
				u := freerun.NewUnit(rt, lifeNote{ran: &ran}, append(options, freerun.OnEnd(func(_ *freerun.Context, n *lifeNote) {
					n.ended = true
					stopped.Add(1)
				}))...)
				var every *freerun.Timer
				if timers {
					every = lifeStep.Every(c, 50*time.Microsecond, u, struct{}{})
				}
				var senders sync.WaitGroup
				for range 2 {
					senders.Go(func() {
						for range 300 {
							if lifeStep.Tell(c, u, struct{}{}) == nil {
								accepted.Add(1)
							}
							if timers {
								lifeStep.SendAfter(c, time.Microsecond, u, struct{}{})
							}
						}
					})
				}
				for accepted.Load() < 20+int64(round) {
					runtime.Gosched()
				}
				end(c, rt, u)
				senders.Wait()
				if timers {
					every.Stop()
				}
				var abandoned uint64
				if err := rt.Shutdown(t.Context()); err != nil {
					var left *freerun.ShutdownError
					if !errors.As(err, &left) || left.Running != nil {
						t.Fatal(err)
					}
					abandoned = left.Abandoned
				}
				s := rt.Stats()
				if s.Sent != s.Done || s.Panics != 0 {
					t.Errorf("%d sent, %d done, %d panics", s.Sent, s.Done, s.Panics)
				}
				// A Close gives up Stops too, and sends that wait for room.
				most := accepted.Load()
				if abandoned > 0 {
					most += 4
				}
				if n := ran.Load() + int64(s.Lost+abandoned); n < accepted.Load() || n > most && !timers {
					t.Errorf("%d accepted; %d ran, %d lost, %d abandoned", accepted.Load(), ran.Load(), s.Lost, abandoned)
				}
				if stopped.Load() > 1 {
					t.Errorf("ended %d times", stopped.Load())
				}
			}
		})
	}
}

// TestStopRacesIdleLimit has units of a kind become passive by Stop, by their idle limit and for
// room at once, while they are told to: each message runs on a state, each state that was made is
// given to OnStop once, and the sum of what was saved is the number of messages.
func TestStopRacesIdleLimit(t *testing.T) {
	t.Parallel()
	rt := startQuiet(t)
	c := rt.Context()
	savedBefore := raceSaved.Load()
	const messages, keys = 20_000, 8
	var senders sync.WaitGroup
	for sender := range 2 {
		senders.Go(func() {
			for i := range messages {
				key := (i + sender) % keys
				if err := raceAdd.Tell(c, raced.At(c, key), 1); err != nil {
					t.Error(err)
				}
				if i%37 == 0 {
					raced.Stop(c, key)
				}
				if i%500 == 0 {
					time.Sleep(2 * time.Millisecond) // so that some are idle
				}
			}
		})
	}
	senders.Wait()
	if err := rt.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if saved := raceSaved.Load() - savedBefore; saved != 2*messages {
		t.Errorf("%d of %d messages are saved", saved, 2*messages)
	}
	if s := raced.Stats(rt); s.Activations != s.Passivations || s.Evictions == 0 || s.Active != 0 {
		t.Errorf("%+v", s)
	}
	if s := rt.Stats(); s.Lost != 0 {
		t.Errorf("%d lost", s.Lost)
	}
}

type raceState struct {
	n     int64
	saved bool
}

var (
	raceSaved atomic.Int64
	raceAdd   = freerun.Op("raceAdd", func(_ *freerun.Context, s *raceState, n int64) (int64, error) {
		if s.saved {
			return 0, errors.New("a message on a state that was saved")
		}
		s.n += n
		return s.n, nil
	})
	raced = freerun.NewKind("raced", func(*freerun.Context, int) (raceState, error) { return raceState{}, nil },
		freerun.PassivateAfter(time.Millisecond), freerun.MaxActive(6),
		freerun.OnStop(func(_ *freerun.Context, _ int, s *raceState) {
			s.saved = true
			raceSaved.Add(s.n)
		}))
)

// TestStopRacesInterceptors has interceptors of a unit see each message that runs before the end,
// and none that is refused after it.
func TestStopRacesInterceptors(t *testing.T) {
	for range 20 {
		rt := startQuiet(t)
		c := rt.Context()
		var around, ran atomic.Int64
		u := freerun.NewUnit(rt, lifeNote{ran: &ran}, freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
			if _, ok := i.Arg().(*struct{}); ok { // not the Stop
				around.Add(1)
			}
			return i.Next(c)
		}), freerun.OnEnd(func(_ *freerun.Context, n *lifeNote) { n.ended = true }))
		var sent []freerun.Future[int]
		for range 200 {
			sent = append(sent, lifeStep.Send(c, u, struct{}{}))
		}
		freerun.Stop(c.WithPriority(freerun.High), u)
		var refused int64
		for _, f := range sent {
			if _, err := f.Wait(t.Context()); errors.Is(err, freerun.ErrStopped) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		if ran.Load()+refused != 200 || around.Load() != ran.Load() {
			t.Errorf("%d ran, %d were refused, the interceptor has seen %d", ran.Load(), refused, around.Load())
		}
		rt.Close()
	}
}

// TestOnEndBlocksAndClose closes a runtime while the function of a unit's end has given its
// processor away: the Close waits for it as for an operation, and what it sends then is refused.
func TestOnEndBlocksAndClose(t *testing.T) {
	for _, priority := range []freerun.Priority{freerun.Normal, freerun.High} {
		rt := startQuiet(t)
		c := rt.Context()
		store := freerun.NewUnit(rt, 0)
		inside, goOn := make(chan struct{}), make(chan struct{})
		var told error
		u := freerun.NewUnit(rt, 0, freerun.OnEnd(func(c *freerun.Context, _ *int) {
			c.Block(func() {
				close(inside)
				<-goOn
			})
			told = runtimetest.AddOne.Tell(c, store, 1)
		}))
		stop := freerun.Stop(c.WithPriority(priority), u)
		<-inside
		behind := runtimetest.AddOne.Send(c, u, 1)
		closed := make(chan error)
		go func() { closed <- rt.Close() }()
		<-rt.Draining()
		close(goOn)
		err := <-closed
		if _, ok := errors.AsType[*freerun.ShutdownError](err); err != nil && !ok {
			t.Error(err)
		}
		if was, err := stop.Result(); err != nil || !was {
			t.Errorf("the Stop: %v, %v", was, err)
		}
		if _, err := behind.Result(); !errors.Is(err, freerun.ErrStopped) && !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("a message behind the end: %v", err)
		}
		if told != nil && !errors.Is(told, freerun.ErrClosed) {
			t.Errorf("what the function has told: %v", told)
		}
	}
}

// TestOnEndMakesUnits has the function of a unit's end make a unit with such a function, and so on:
// a Shutdown ends them all.
func TestOnEndMakesUnits(t *testing.T) {
	for range 20 {
		rt := startQuiet(t)
		var ended atomic.Int64
		var next func(depth int)
		next = func(depth int) {
			u := freerun.NewUnit(rt, depth, freerun.OnEnd(func(_ *freerun.Context, depth *int) {
				ended.Add(1)
				if *depth > 0 {
					next(*depth - 1)
					next(*depth - 1)
				}
			}))
			runtimetest.AddOne.Tell(rt.Context(), u, 0)
		}
		next(6)
		if err := rt.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ended.Load() != 1<<7-1 {
			t.Errorf("%d have ended", ended.Load())
		}
	}
}

// TestStopRacesAwait stops a unit while activities await what they have sent to it: each has a
// value of before the end, or the error of the end, and goes on.
func TestStopRacesAwait(t *testing.T) {
	for range 20 {
		rt := startQuiet(t)
		var ran, told atomic.Int64
		u := freerun.NewUnit(rt, lifeNote{ran: &ran})
		var waits []*activity.Activity
		for range 20 {
			waits = append(waits, activity.Go(rt, func(a *activity.Activity) {
				for {
					_, err := lifeStep.Send(freerun.ContextOf(a), u, struct{}{}).Await(a)
					if errors.Is(err, freerun.ErrStopped) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					told.Add(1)
				}
			}))
		}
		for ran.Load() < 100 {
			runtime.Gosched()
		}
		freerun.Stop(rt.Context(), u)
		for _, a := range waits {
			if err := a.Wait(runtimetest.Within(t)); err != nil {
				t.Fatal(err)
			}
		}
		if ran.Load() != told.Load() {
			t.Errorf("%d ran, and the activities had %d values", ran.Load(), told.Load())
		}
		rt.Close()
	}
}
