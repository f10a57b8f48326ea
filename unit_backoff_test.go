package freerun_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
	"github.com/freerun-go/freerun/recording"
)

// clockIt returns the time at which it runs, and readClock does so beside others.
var (
	clockIt   = freerun.Op("clockIt", func(c *freerun.Context, _ *int, _ struct{}) (time.Time, error) { return c.Runtime().Now(), nil })
	readClock = freerun.ReadOp("readClock", func(c *freerun.Context, _ *int, _ struct{}) (time.Time, error) { return c.Runtime().Now(), nil })
	seven     = func() int { return 7 }
)

// restless returns a unit that is restarted most times, and lies still from 10 to 50 ms.
func restless(rt *freerun.Runtime, most int, options ...freerun.UnitOption) *freerun.Unit[int] {
	return freerun.NewUnit(rt, 7, append(options, freerun.RestartOnPanic(seven, most, time.Hour),
		freerun.BackOff(10*time.Millisecond, 50*time.Millisecond))...)
}

// backOffs has a unit panic until it is stopped, and compares the instants at which its messages
// run with the delays.
func backOffs(t *testing.T, rt *freerun.Runtime) {
	c := rt.Context()
	var reports []freerun.PanicReport
	u := restless(rt, 5, freerun.OnPanic(func(p freerun.PanicReport) { reports = append(reports, p) }))
	delays := []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond}
	for i, d := range delays {
		at := rt.Now()
		broken := breakIt.Send(c, u, i%2 == 0)
		next := clockIt.Send(c, u, struct{}{})
		looks := readClock.Send(c, u, struct{}{})
		both := freerun.When2(c, u, freerun.NewUnit(rt, 1), func(c *freerun.Context, _, _ *int) (time.Time, error) { return rt.Now(), nil })
		state := runtimetest.AddOne.Send(c, u, 1)
		if _, err := broken.Wait(t.Context()); err == nil || rt.Now() != at {
			t.Errorf("fault %d: %v, after %v", i, err, rt.Now().Sub(at))
		}
		if s := u.Stats(); !s.BackingOff || s.Restarts != i+1 {
			t.Errorf("after fault %d: %+v", i, s)
		}
		for what, f := range map[string]freerun.Future[time.Time]{"the next message": next, "one that looks": looks, "one to two units": both} {
			if ran := runtimetest.Must(t, f).Sub(at); ran != d {
				t.Errorf("fault %d: %s has run after %v, and not after %v", i, what, ran, d)
			}
		}
		if n := runtimetest.Must(t, state); n != 8 {
			t.Errorf("the state after fault %d: %d", i, n)
		}
		if u.Stats().BackingOff {
			t.Errorf("it lies still after delay %d", i)
		}
	}
	at := rt.Now()
	breakIt.Send(c, u, false)
	if _, err := clockIt.Send(c, u, struct{}{}).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) || rt.Now() != at {
		t.Errorf("restarts used up: %v, after %v", err, rt.Now().Sub(at))
	}
	for i, p := range reports {
		if used := i == len(delays); p.Stopped != used || !used && p.BackOff != delays[i] || used && p.BackOff != 0 {
			t.Errorf("report %d: %+v", i, p)
		}
	}
	if len(reports) != len(delays)+1 {
		t.Errorf("%d reports", len(reports))
	}
}

func TestBackOff(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	backOffs(t, rt)
}

// TestBackOffInBubble has the same in the time of a bubble, with a watchdog: a unit that lies still
// is no operation that does not return.
func TestBackOffInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(2), freerun.Logger(slog.New(slog.DiscardHandler)), freerun.Watchdog(time.Millisecond, 1))
		backOffs(t, rt)
		if late := rt.LateReports(); len(late) > 0 {
			t.Errorf("%d reports, of %s", len(late), late[0].Operation)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestBackOffOrder sends to a unit that lies still: what it is sent runs in the order of sending, a
// Stop in its turn, and one of a higher priority ahead of what waits.
func TestBackOffOrder(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
		c := rt.Context()
		u := restless(rt, 5)
		at := rt.Now()
		breakIt.Send(c, u, false)
		runtimetest.Must(t, freerun.After(c, time.Millisecond))
		before := []freerun.Future[int]{runtimetest.AddOne.Send(c, u, 1), runtimetest.AddOne.Send(c, u, 1)}
		watch, stop := freerun.Watch(c, u), freerun.Future[bool]{}
		if ahead {
			stop = freerun.Stop(c.WithPriority(freerun.High), u)
		} else {
			stop = freerun.Stop(c, u)
		}
		after := clockIt.Send(c, u, struct{}{})
		runtimetest.Must(t, freerun.After(c, 8*time.Millisecond))
		if s := u.Stats(); !s.BackingOff {
			t.Errorf("%+v", s)
		}
		if !runtimetest.Must(t, stop) || rt.Now().Sub(at) != 10*time.Millisecond {
			t.Errorf("the Stop came after %v", rt.Now().Sub(at))
		}
		for i, f := range before {
			if n, err := f.Wait(t.Context()); errors.Is(err, freerun.ErrStopped) != ahead || !ahead && n != 8+i {
				t.Errorf("message %d: %d, %v", i, n, err)
			}
		}
		if _, err := after.Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
			t.Errorf("a message after the Stop: %v", err)
		}
		if e := runtimetest.Must(t, watch); !errors.Is(e.Err, freerun.ErrStopped) {
			t.Errorf("the watch: %v", e.Err)
		}
	}
}

// TestBackOffIsAwaited: Quiesce and Scope.Wait wait for what waits at a unit that lies still, and
// for nothing else.
func TestBackOffIsAwaited(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	u := restless(rt, 5)
	s := rt.Scope(t.Context())
	at := rt.Now()
	breakIt.Send(rt.Context(), u, false)
	if err := rt.Quiesce(t.Context()); err != nil || rt.Now() != at {
		t.Errorf("without messages: %v, after %v", err, rt.Now().Sub(at))
	}
	clockIt.Tell(rt.Context(), u, struct{}{})
	if err := rt.Quiesce(t.Context()); err != nil || rt.Now().Sub(at) != 10*time.Millisecond {
		t.Errorf("with a message: %v, after %v", err, rt.Now().Sub(at))
	}
	breakIt.Send(rt.Context(), u, false)
	clockIt.Tell(s.Context(), u, struct{}{})
	if err := s.Wait(t.Context()); err != nil || rt.Now().Sub(at) != 30*time.Millisecond {
		t.Errorf("a scope: %v, after %v", err, rt.Now().Sub(at))
	}
	breakIt.Send(rt.Context(), u, false)
	canceled := clockIt.Send(s.Context(), u, struct{}{})
	runtimetest.Must(t, freerun.After(rt.Context(), time.Millisecond))
	s.Cancel(nil)
	if _, err := canceled.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) || rt.Now().Sub(at) != 31*time.Millisecond {
		t.Errorf("a canceled scope: %v, after %v", err, rt.Now().Sub(at))
	}
}

// TestBackOffSeveral has an operation on two units panic. Each lies still for its own time, and an
// operation on both, and what is behind it, waits for both.
func TestBackOffSeveral(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	c, at := rt.Context(), rt.Now()
	clock := func(f freerun.Future[time.Time]) time.Duration { return runtimetest.Must(t, f).Sub(at) }
	both := func(c *freerun.Context, _, _ *int) (time.Time, error) { return rt.Now(), nil }
	short, plain := restless(rt, 5), freerun.NewUnit(rt, 1)
	long := freerun.NewUnit(rt, 7, freerun.RestartOnPanic(seven, 5, time.Hour), freerun.BackOff(time.Second, time.Second))
	freerun.WhenAll(c, []*freerun.Unit[int]{short, long, plain}, func(*freerun.Context, []*int) (int, error) { panic("broken") })
	a, b, p := clockIt.Send(c, short, struct{}{}), clockIt.Send(c, long, struct{}{}), clockIt.Send(c, plain, struct{}{})
	shortPlain := freerun.When2(c, plain, short, both)
	behind := clockIt.Send(c, plain, struct{}{})
	shortLong := freerun.When2(c, short, long, both)
	last := clockIt.Send(c, short, struct{}{})
	if x, y, z := clock(a), clock(b), clock(p); x != 10*time.Millisecond || y != time.Second || z != 0 {
		t.Errorf("they have run after %v, %v and %v", x, y, z)
	}
	if x, y := clock(shortPlain), clock(behind); x != 10*time.Millisecond || y != x {
		t.Errorf("on one and a plain unit: after %v, and behind it after %v", x, y)
	}
	if x, y := clock(shortLong), clock(last); x != time.Second || y != x {
		t.Errorf("on both: after %v, and behind it after %v", x, y)
	}
}

// TestBackOffLimit fills the mailbox of a unit that lies still: senders wait for room, are held
// back or refused, as by a unit that is busy, until the time is over.
func TestBackOffLimit(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	c, at := rt.Context(), rt.Now()
	u := restless(rt, 5, freerun.MailboxLimit(2, freerun.WaitForRoom))
	breakIt.Send(c, u, false)
	runtimetest.Must(t, freerun.After(c, time.Millisecond))
	for range 2 {
		clockIt.Send(c, u, struct{}{})
	}
	over := freerun.NewUnit(rt, 0)
	freerun.Do(c, over, func(c *freerun.Context, _ *int) (int, error) { return 0, clockIt.Tell(c, u, struct{}{}) })
	held := clockIt.Send(c, over, struct{}{})
	runtimetest.Must(t, freerun.After(c, time.Millisecond))
	if !over.Stats().HeldBack || u.Stats().Waiting != 3 {
		t.Errorf("%+v sends to %+v", over.Stats(), u.Stats())
	}
	// The driver waits for room, which comes with the time.
	if ran := runtimetest.Must(t, clockIt.Send(c, u, struct{}{})).Sub(at); ran != 10*time.Millisecond {
		t.Errorf("the sender that has waited: after %v", ran)
	}
	if ran := runtimetest.Must(t, held).Sub(at); ran != 10*time.Millisecond {
		t.Errorf("the unit that was held back: after %v", ran)
	}
	u = restless(rt, 5, freerun.MailboxLimit(1, freerun.Reject))
	breakIt.Send(c, u, false)
	runtimetest.Must(t, freerun.After(c, time.Millisecond))
	taken, refused := clockIt.Send(c, u, struct{}{}), clockIt.Tell(c, u, struct{}{})
	if runtimetest.Must(t, taken); !errors.Is(refused, freerun.ErrFull) {
		t.Errorf("a full mailbox: %v", refused)
	}
}

// TestBackOffGivenUp has a Call give up on a unit that lies still, for an hour of real time.
func TestBackOffGivenUp(t *testing.T) {
	rt := startQuiet(t)
	c := rt.Context()
	u := freerun.NewUnit(rt, 7, freerun.RestartOnPanic(seven, 5, time.Hour), freerun.BackOff(time.Hour, time.Hour), freerun.MailboxLimit(1, freerun.WaitForRoom))
	breakIt.Send(c, u, false).Wait(t.Context())
	for range 2 { // the second for the first one's place, which it keeps
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := clockIt.Call(ctx, u, struct{}{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a Call: %v", err)
		}
		cancel()
	}
	if err := rt.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestBackOffShutdown drains a runtime with a unit that would lie still for an hour. All that waits
// runs, on the new state, and a fault meanwhile has it go on at once.
func TestBackOffShutdown(t *testing.T) {
	for _, how := range []freerun.Option{freerun.Processors(2), freerun.Deterministic(1)} {
		rt, _ := runtimetest.Start(t, how)
		c := rt.Context()
		var reports []freerun.PanicReport
		u := freerun.NewUnit(rt, 7, freerun.RestartOnPanic(seven, 5, time.Hour), freerun.BackOff(time.Hour, time.Hour),
			freerun.OnPanic(func(p freerun.PanicReport) { reports = append(reports, p) }))
		breakIt.Send(c, u, false).Wait(t.Context())
		var waits []freerun.Future[int]
		for i := range 100 {
			waits = append(waits, runtimetest.AddOne.Send(c, u, 1), runtimetest.AddOne.Send(c.WithPriority(freerun.Priority(i%4)), u, 0),
				freerun.When2(c, u, freerun.NewUnit(rt, 1), func(_ *freerun.Context, n, _ *int) (int, error) { return *n, nil }))
		}
		breakIt.Send(c, u, true)
		last := runtimetest.AddOne.Send(c.WithPriority(freerun.Idle), u, 0)
		if err := rt.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, f := range waits {
			if n, err := f.Result(); err != nil || n < 7 || n > 107 {
				t.Fatalf("message %d: %d, %v", i, n, err)
			}
		}
		if n, err := last.Result(); err != nil || n < 7 || n > 107 {
			t.Errorf("the last message: %d, %v", n, err)
		}
		if len(reports) != 2 || reports[0].BackOff != time.Hour || reports[1].BackOff != 0 {
			t.Errorf("%+v", reports)
		}
	}
}

// TestBackOffClose closes a runtime with a unit that lies still: what waits is abandoned, and
// counted.
func TestBackOffClose(t *testing.T) {
	for _, virtual := range []bool{false, true} {
		how := freerun.Processors(2)
		if virtual {
			how = freerun.Deterministic(1)
		}
		rt, _ := runtimetest.Start(t, how)
		c := rt.Context()
		u := freerun.NewUnit(rt, 7, freerun.RestartOnPanic(seven, 5, time.Hour), freerun.BackOff(time.Hour, time.Hour))
		breakIt.Send(c, u, false).Wait(t.Context())
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
		var waits []freerun.Future[int]
		for range 100 {
			waits = append(waits, runtimetest.AddOne.Send(c, u, 1), freerun.When2(c, u, freerun.NewUnit(rt, 1), func(_ *freerun.Context, n, _ *int) (int, error) { return *n, nil }))
			if err := clockIt.Tell(c.WithPriority(freerun.Low), u, struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
		left := &freerun.ShutdownError{}
		if err := rt.Close(); err != nil && !errors.As(err, &left) || left.Running != nil {
			t.Fatal(err)
		}
		ran := uint64(0)
		for i, f := range waits {
			if _, err := f.Result(); err == nil {
				ran++
			} else if !errors.Is(err, freerun.ErrClosed) || errors.Is(err, freerun.ErrWouldBlock) {
				t.Fatalf("message %d: %v", i, err)
			}
		}
		// A processor may have run some that the end of the timer let go on, of the told ones too.
		if s := rt.Stats(); s.Sent != s.Done || left.Abandoned+ran > 300 || left.Abandoned+ran < 200 || virtual && left.Abandoned != 300 {
			t.Errorf("%d of 300 abandoned, %d have run; %+v", left.Abandoned, ran, s)
		}
	}
}

var (
	sickDays []time.Duration // the times at which sick makes a state
	sickOn   time.Time
	sickLoad func(c *freerun.Context) (int, error)
	sick     = freerun.NewKind("sick", func(c *freerun.Context, key int) (int, error) {
		sickDays = append(sickDays, c.Runtime().Now().Sub(sickOn))
		if sickLoad != nil {
			return sickLoad(c)
		}
		return 7, nil
	}, freerun.Restarts(3, time.Hour), freerun.BackOff(10*time.Millisecond, 50*time.Millisecond))
)

// TestBackOffKind has a unit of a kind lie still, without state, and become active afterwards. A
// Stop of its key has its turn then, and has the delays begin anew.
func TestBackOffKind(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	c := rt.Context()
	u := sick.At(c, 1)
	sickOn, sickDays, sickLoad = rt.Now(), nil, nil
	clock := func() time.Duration { return rt.Now().Sub(sickOn) }
	watch := freerun.Watch(c, u)
	breakIt.Send(c, u, false)
	breakIt.Send(c, u, true)
	state := runtimetest.AddOne.Send(c, u, 1)
	if n := runtimetest.Must(t, state); n != 8 || clock() != 30*time.Millisecond {
		t.Errorf("%d, after %v", n, clock())
	}
	if e := runtimetest.Must(t, watch); e.Err != nil {
		t.Errorf("a watch that came before the first state: %v", e.Err)
	}
	breakIt.Send(c, u, false)
	last := runtimetest.AddOne.Send(c, u, 1)
	runtimetest.Must(t, freerun.After(c, time.Millisecond))
	if s := u.Stats(); !s.BackingOff || s.Restarts != 3 || sick.Len(rt) != 0 {
		t.Errorf("%+v, %d are active", s, sick.Len(rt))
	}
	stop := sick.Stop(c, 1)
	if n, was := runtimetest.Must(t, last), runtimetest.Must(t, stop); n != 8 || !was || clock() != 70*time.Millisecond {
		t.Errorf("%d, %v, after %v", n, was, clock())
	}
	breakIt.Send(c, u, false) // the fourth, but the first after the Stop
	runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1))
	if want := []time.Duration{0, 10 * time.Millisecond, 30 * time.Millisecond, 70 * time.Millisecond, 70 * time.Millisecond, 80 * time.Millisecond}; !slices.Equal(sickDays, want) {
		t.Errorf("states were made after %v", sickDays)
	}
}

// TestBackOffIsNoCycle has futures wait for a unit that lies still, and the unit's next state wait
// for its own mailbox: time ends the first, and the second is a circle from the activation on.
func TestBackOffIsNoCycle(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	c := rt.Context()
	u, plain := sick.At(c, 1), freerun.NewUnit(rt, 1)
	sickOn, sickDays, sickLoad = rt.Now(), nil, nil
	breakIt.Send(c, u, false)
	runtimetest.Must(t, freerun.After(c, time.Millisecond))
	first := runtimetest.AddOne.Send(c, u, 1)
	forward := freerun.Do(c, plain, func(c *freerun.Context, _ *int) (int, error) { return freerun.Forward(c, first) })
	back := freerun.Then(c, forward, func(c *freerun.Context, n int) (int, error) {
		return freerun.Forward(c, runtimetest.AddOne.Send(c, u, n))
	})
	if n := runtimetest.Must(t, back); n != 16 || rt.Now().Sub(sickOn) != 10*time.Millisecond {
		t.Errorf("%d, after %v", n, rt.Now().Sub(sickOn))
	}
	breakIt.Send(c, u, false)
	runtimetest.Must(t, freerun.After(c, time.Millisecond))
	mine := runtimetest.AddOne.Send(c, u, 1)
	sickLoad = func(c *freerun.Context) (int, error) { return freerun.Forward(c, mine) }
	if _, err := mine.Wait(t.Context()); !errors.Is(err, freerun.ErrCycle) || rt.Now().Sub(sickOn) != 30*time.Millisecond {
		t.Errorf("a circle: %v, after %v", err, rt.Now().Sub(sickOn))
	}
}

// TestBackOffIsRecorded has a recording tell that a unit lies still, and keep the books right.
func TestBackOffIsRecorded(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	c := rt.Context()
	u := restless(rt, 5, freerun.UnitName("restless"))
	before := rt.Stats()
	tr := traced(t, rt, func() {
		breakIt.Send(c, u, false)
		runtimetest.Must(t, freerun.After(c, time.Millisecond))
		runtimetest.Must(t, clockIt.Send(c, u, struct{}{}))
		runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1))
	})
	audit(tr).hold(t, tr, before, rt.Stats())
	timers := 0
	for _, e := range tr.Events {
		if e.Kind == recording.KindTimer && tr.Operation(e.Operation) == "freerun.BackOff" {
			if timers++; tr.Units[e.Unit].Name != "restless" {
				t.Errorf("of unit %q", tr.Units[e.Unit].Name)
			}
		}
	}
	if a := recording.Analyze(tr); timers != 1 || a.Unknown != 0 {
		t.Errorf("%d timers; %d sends are unknown", timers, a.Unknown)
	}
}

// TestBackOffStress has units of both sorts lie still for moments while goroutines send to them,
// alone and in pairs, with priorities and without a future, stop and watch them, and the runtime
// ends. Each message that was accepted runs, or fails with a named error, and is counted.
func TestBackOffStress(t *testing.T) {
	for round := range 24 {
		rt := startQuiet(t)
		c := rt.Context()
		backOff := freerun.BackOff(time.Duration(1+round%3*50)*time.Microsecond, 200*time.Microsecond)
		var units [4]*freerun.Unit[int]
		for i := range units {
			options := []freerun.UnitOption{freerun.RestartOnPanic(seven, 10+round, time.Hour), backOff}
			if i == 1 {
				options = append(options, freerun.MailboxLimit(8, freerun.WaitForRoom))
			}
			units[i] = freerun.NewUnit(rt, 7, options...)
			if i > 1 {
				units[i] = nervous.At(c, i)
			}
		}
		all := make([][]freerun.Future[int], 3)
		var senders sync.WaitGroup
		for g := range all {
			senders.Go(func() {
				for n := range 150 {
					u, v := units[(g+n)%4], units[(g+n+1+n%3)%4]
					switch n % 10 {
					case 0:
						all[g] = append(all[g], breakIt.Send(c, u, n%20 == 0))
					case 1:
						all[g] = append(all[g], freerun.When2(c, u, v, func(_ *freerun.Context, x, _ *int) (int, error) {
							if n%7 == 0 {
								panic("both")
							}
							return *x, nil
						}))
					case 2:
						runtimetest.AddOne.Tell(c.WithPriority(freerun.Priority(n%4)), u, 1)
					case 3:
						freerun.Watch(c, u)
						if n > 100 && n%3 == 0 {
							freerun.Stop(c, u)
						}
					case 4:
						all[g] = append(all[g], freerun.Read(c, u, func(_ *freerun.Context, x *int) (int, error) { return *x, nil }))
					default:
						all[g] = append(all[g], runtimetest.AddOne.Send(c, u, 1))
					}
				}
			})
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if round%3 == 0 {
				rt.Close()
				return
			}
			if round%3 == 1 {
				senders.Wait()
			}
			if err := rt.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		senders.Wait()
		<-ended
		for _, sent := range all {
			for _, f := range sent {
				_, err := f.Result()
				_, panicked := errors.AsType[*freerun.PanicError](err)
				if errors.Is(err, freerun.ErrWouldBlock) || err != nil && !panicked && !errors.Is(err, freerun.ErrClosed) && !errors.Is(err, freerun.ErrStopped) {
					t.Fatalf("a message: %v", err)
				}
			}
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Errorf("%+v", s)
		}
		for i, u := range units {
			if u.Stats().BackingOff {
				t.Errorf("unit %d lies still after the end", i)
			}
		}
	}
}

var nervous = freerun.NewKind("nervous", func(*freerun.Context, int) (int, error) { return 7, nil },
	freerun.Restarts(20, time.Hour), freerun.BackOff(time.Microsecond, 100*time.Microsecond), freerun.PassivateAfter(time.Millisecond))

var unrestarted = freerun.NewKind("unrestarted", func(*freerun.Context, int) (int, error) { return 0, nil })

func TestBackOffMisuse(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	const needs = "freerun: BackOff needs a least delay above zero, and a greatest one that is not less"
	const unused = "freerun: BackOff for a unit that is not restarted; it needs RestartOnPanic, or Restarts for a kind, and no StopOnPanic"
	const both = "freerun: StopOnPanic for a unit that is restarted, with RestartOnPanic, or Restarts of its kind; a panic does one of both"
	backOff := freerun.BackOff(1, 1)
	misuse.Check(t, misuse.Calls{
		"no least delay": {needs, func() { freerun.BackOff(0, time.Second) }},
		"less than that": {needs, func() { freerun.BackOff(2, 1) }},
		"no restarts":    {unused, func() { freerun.NewUnit(rt, 1, backOff) }},
		"and a stop": {unused, func() {
			freerun.NewUnit(rt, 1, backOff, freerun.StopOnPanic(), freerun.RestartOnPanic(seven, 1, time.Second))
		}},
		"a stop and restarts":            {both, func() { freerun.NewUnit(rt, 1, freerun.RestartOnPanic(seven, 1, time.Second), freerun.StopOnPanic()) }},
		"a stop of a kind with restarts": {both, func() { unrestarted.Configure(rt, freerun.StopOnPanic(), freerun.Restarts(1, time.Second)) }},
		"a kind without restarts":        {unused, func() { unrestarted.Configure(rt, backOff) }},
	})
}
