package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestSuspend suspends a unit between two messages, and lets it go on by a value and by an error.
func TestSuspend(t *testing.T) {
	broken := errors.New("broken")
	for _, fails := range []error{nil, broken} {
		rt, _ := runtimetest.Start(t)
		c := rt.Context()
		u := freerun.NewUnit(rt, 7, freerun.UnitName("vault"))
		p := freerun.NewPromise[string](c)
		before := runtimetest.AddOne.Send(c, u, 1)
		s := freerun.Suspend(c, u, p.Future())
		after := runtimetest.AddOne.Send(c, u, 1)
		if n := runtimetest.Must(t, before); n != 8 {
			t.Errorf("the message before: %d", n)
		}
		awaitSuspended(t, rt, 1)
		if all := rt.SuspendedUnits(); !u.Stats().Suspended || all[0].Unit != "vault" || all[0].Since.IsZero() {
			t.Errorf("%+v, %v", u.Stats(), all)
		}
		if _, err := after.Result(); err != freerun.ErrWouldBlock {
			t.Errorf("the message behind: %v", err)
		}
		p.Resolve("there", fails)
		if v, err := s.Wait(t.Context()); err != fails || err == nil && v != "there" {
			t.Errorf("the suspension: %q, %v", v, err)
		}
		if n := runtimetest.Must(t, after); n != 9 {
			t.Errorf("the message behind: %d", n)
		}
		if u.Stats().Suspended || len(rt.SuspendedUnits()) > 0 {
			t.Error("it is suspended afterwards")
		}
	}
}

// awaitSuspended waits until n units of the runtime are suspended.
func awaitSuspended(t *testing.T, rt *freerun.Runtime, n int) {
	t.Helper()
	for ctx := runtimetest.Within(t); len(rt.SuspendedUnits()) != n; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("suspended are %v, not %d", rt.SuspendedUnits(), n)
		}
	}
}

// TestSuspendGoesOnAtOnce suspends a unit with futures that have an outcome, or are none, or are of
// another runtime, and stopped units.
func TestSuspendGoesOnAtOnce(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	other, _ := runtimetest.Start(t)
	c, broken := rt.Context(), errors.New("broken")
	u := freerun.NewUnit(rt, 7)
	done := runtimetest.AddOne.Send(c, u, 1)
	runtimetest.Must(t, done)
	foreign := runtimetest.AddOne.Send(other.Context(), freerun.NewUnit(other, 41), 1)
	for _, x := range []struct {
		f    freerun.Future[int]
		want int
		err  error
	}{
		{freerun.Resolved(3), 3, nil},
		{done, 8, nil},
		{freerun.Failed[int](broken), 0, broken},
		{freerun.Future[int]{}, 0, freerun.ErrNoFuture},
		{foreign, 42, nil},
	} {
		if n, err := freerun.Suspend(c, u, x.f).Wait(t.Context()); n != x.want || !errors.Is(err, x.err) {
			t.Errorf("%d, %v in place of %d, %v", n, err, x.want, x.err)
		}
		runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1))
	}
	if _, err := freerun.Suspend(c, freerun.NewUnit(other, 1), done).Wait(t.Context()); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("a unit of another runtime: %v", err)
	}
	freerun.Stop(c, u)
	if _, err := freerun.Suspend(c, u, done).Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("a stopped unit: %v", err)
	}
	if all := rt.SuspendedUnits(); len(all) > 0 {
		t.Errorf("suspended are %v", all)
	}
}

// TestSuspendFindsWatchAndRoom has a suspension wait for what only its unit can bring about: the
// end of the unit, or room in its mailbox.
func TestSuspendFindsWatchAndRoom(t *testing.T) {
	later := func(c *freerun.Context, f freerun.Future[int]) (int, error) { return freerun.Forward(c, f) }
	for name, ask := range map[string]func(c *freerun.Context, u *freerun.Unit[int]) freerun.Future[int]{
		"the end": func(c *freerun.Context, u *freerun.Unit[int]) freerun.Future[int] {
			return freerun.Then(c, freerun.Watch(c, u), func(*freerun.Context, freerun.Ended) (int, error) { return 1, nil })
		},
		"room": func(c *freerun.Context, u *freerun.Unit[int]) freerun.Future[int] {
			return freerun.Then(c, freerun.Room(c, u), func(*freerun.Context, struct{}) (int, error) { return 1, nil })
		},
	} {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, asked before: %v", name, before), func(t *testing.T) {
				freeruntest.Explore(t, func(rt *freerun.Runtime) {
					c := rt.Context()
					u := freerun.NewUnit(rt, 1, freerun.MailboxLimit(1, freerun.Reject))
					opens := freerun.NewPromise[freerun.Future[int]](c)
					gate := freerun.NewPromise[int](c)
					freerun.Suspend(c, u, gate.Future())
					mail := runtimetest.AddOne.Send(c, u, 1) // so the mailbox is full
					var f freerun.Future[int]
					if before {
						f = ask(c, u)
					}
					s := freerun.Suspend(c.WithPriority(freerun.High), u, freerun.Then(c, opens.Future(), later))
					if !before {
						freerun.Go(c, func(*freerun.Context) (int, error) { return 0, nil }).Wait(t.Context())
						f = ask(c, u)
					}
					opens.Resolve(f, nil)
					gate.Resolve(0, nil)
					_, err := s.Wait(t.Context())
					if n, mailed := mail.Wait(t.Context()); n != 2 || mailed != nil {
						t.Errorf("the mail: %d, %v", n, mailed)
					}
					freerun.Stop(c, u)
					if _, met := f.Wait(t.Context()); met != nil && !errors.Is(met, freerun.ErrCycle) && !errors.Is(met, freerun.ErrStopped) {
						t.Errorf("what was waited for: %v", met)
					} else if !errors.Is(err, freerun.ErrCycle) && (err != nil || met != nil) {
						t.Errorf("the suspension: %v; what it waited for: %v", err, met)
					}
				})
			})
		}
	}
}

// TestSuspendOvertakesNoneOfSeveral has a suspension, sent with a high priority, wait for a unit
// that an operation on both holds, which was sent before the unit was ever to be suspended.
func TestSuspendOvertakesNoneOfSeveral(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		c := rt.Context()
		u, w := freerun.NewUnit(rt, 1), freerun.NewUnit(rt, 2)
		high := c.WithPriority(freerun.High)
		freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { return 0, nil })
		freerun.When2(c, w, u, func(_ *freerun.Context, w, u *int) (int, error) { *w += *u; return 0, nil })
		f := freerun.Do(high, w, func(_ *freerun.Context, n *int) (int, error) { return *n, nil })
		s := freerun.Suspend(high, u, f)
		n, err := f.Wait(t.Context())
		if got, failed := s.Wait(t.Context()); err != nil || failed != nil || got != n {
			t.Errorf("%d, %v; the suspension: %d, %v", n, err, got, failed)
		}
		if n, err := runtimetest.AddOne.Send(c, u, 1).Wait(t.Context()); n != 2 || err != nil {
			t.Errorf("after it: %d, %v", n, err)
		}
	})
}

// TestKindWaitsForItsEnd: the function that makes a state waits for the end of its own unit.
func TestKindWaitsForItsEnd(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		c := rt.Context()
		patient.Configure(rt, freerun.MadeBy(func(c *freerun.Context, key int) (int, error) {
			end := freerun.Watch(c, patient.At(c, key))
			return freerun.Forward(c, freerun.Then(c, end, func(*freerun.Context, freerun.Ended) (int, error) { return 1, nil }))
		}))
		_, err := runtimetest.AddOne.Send(c, patient.At(c, 7), 1).Wait(t.Context())
		var failed *freerun.ActivationError
		if !errors.As(err, &failed) || !errors.Is(err, freerun.ErrCycle) {
			t.Errorf("the activation: %v", err)
		}
	})
}

var patient = freerun.NewKind("patient", func(*freerun.Context, int) (int, error) { return 0, nil })

// TestSuspendHoldsAll has messages of each sort behind a suspension, and behind another one that
// comes with a higher priority: none runs before each is over, and then they run, each once. Until
// a processor comes to the second suspension, some may run: priorities are no order.
func TestSuspendHoldsAll(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	u, partner := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
	var ran atomic.Int64
	lies := func(which string) {
		t.Helper()
		before := ran.Load()
		for range 100 {
			freerun.Go(c, func(*freerun.Context) (int, error) { return 0, nil }).Wait(t.Context())
		}
		if n := ran.Load() - before; n != 0 || !u.Stats().Suspended {
			t.Fatalf("%d ran in the %s suspension; %+v", n, which, u.Stats())
		}
	}
	first, second := freerun.NewPromise[int](c), freerun.NewPromise[int](c)
	freerun.Suspend(c, u, first.Future())
	awaitSuspended(t, rt, 1)
	began := rt.SuspendedUnits()[0].Since
	again := freerun.Suspend(c.WithPriority(freerun.High), u, second.Future())
	var all []freerun.Future[int]
	run := func(_ *freerun.Context, n *int) (int, error) { ran.Add(1); *n++; return *n, nil }
	for _, p := range runtimetest.Priorities {
		all = append(all, freerun.Do(c.WithPriority(p), u, run))
	}
	all = append(all,
		freerun.Read(c, u, func(_ *freerun.Context, n *int) (int, error) { ran.Add(1); return *n, nil }),
		freerun.When2(c, u, partner, func(_ *freerun.Context, n, _ *int) (int, error) { ran.Add(1); return *n, nil }))
	// Held by the operation on both.
	behind := freerun.Do(c, partner, func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil })
	lies("first")
	first.Resolve(1, nil)
	for ctx := runtimetest.Within(t); ; time.Sleep(time.Millisecond) {
		if all := rt.SuspendedUnits(); len(all) == 1 && all[0].Since != began {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("no second suspension: %+v", u.Stats())
		}
	}
	watch, stop := freerun.Watch(c, u), freerun.Stop(c, u)
	refused := freerun.Do(c, u, run)
	lies("second")
	second.Resolve(2, nil)
	if n := runtimetest.Must(t, again); n != 2 {
		t.Errorf("the second suspension: %d", n)
	}
	runtimetest.Must(t, behind)
	for i, f := range all {
		// The Stop, of Normal, comes before those of other priorities, or not.
		other := i < len(runtimetest.Priorities) && runtimetest.Priorities[i] != freerun.Normal
		if _, err := f.Wait(t.Context()); err != nil && !(other && errors.Is(err, freerun.ErrStopped)) {
			t.Errorf("message %d: %v", i, err)
		}
	}
	if e := runtimetest.Must(t, watch); !runtimetest.Must(t, stop) || !errors.Is(e.Err, freerun.ErrStopped) {
		t.Errorf("the watch: %v", e.Err)
	}
	if _, err := refused.Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("behind the stop: %v", err)
	}
}

// TestSuspendFirst has the first message with a priority come while the unit lies still, and the
// Suspend itself come by a priority.
func TestSuspendFirst(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	for _, by := range runtimetest.Priorities {
		u := freerun.NewUnit(rt, 0)
		p := freerun.NewPromise[int](c)
		freerun.Suspend(c.WithPriority(by), u, p.Future())
		awaitSuspended(t, rt, 1)
		high := runtimetest.AddOne.Send(c.WithPriority(freerun.High), u, 1)
		if _, err := high.Result(); err != freerun.ErrWouldBlock {
			t.Fatal(err)
		}
		p.Resolve(0, nil)
		runtimetest.Must(t, high)
		awaitSuspended(t, rt, 0)
	}
}

// TestSuspendFindsCircles suspends units until futures have an outcome that wait for what lies in
// their mailboxes: the suspension fails, and the unit goes on.
func TestSuspendFindsCircles(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	sum := func(_ *freerun.Context, a, b *int) (int, error) { return *a + *b, nil }
	for name, ask := range map[string]func(u, v *freerun.Unit[int]) (f, behind freerun.Future[int]){
		"a message": func(u, _ *freerun.Unit[int]) (_, _ freerun.Future[int]) {
			f := runtimetest.AddOne.Send(c, u, 1)
			return f, f
		},
		"through another": func(u, v *freerun.Unit[int]) (_, _ freerun.Future[int]) {
			f := runtimetest.AddOne.Send(c, u, 1)
			return peekAfter.Send(c, v, f), f
		},
		"several": func(u, v *freerun.Unit[int]) (_, _ freerun.Future[int]) {
			f := freerun.When2(c, v, u, sum)
			return f, f
		},
		"behind several": func(u, v *freerun.Unit[int]) (_, _ freerun.Future[int]) {
			f := freerun.When2(c, v, u, sum)
			return runtimetest.AddOne.Send(c, v, 1), f
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				u, v := freerun.NewUnit(rt, 1), freerun.NewUnit(rt, 2)
				opens := freerun.NewPromise[freerun.Future[int]](c)
				gate := freerun.NewPromise[int](c)
				// The gate is open once the circle is closed but for the suspension; the last
				// edge is that, or that of the promise's value.
				freerun.Suspend(c, u, gate.Future())
				s := freerun.Suspend(c, u, freerun.Then(c, opens.Future(), func(c *freerun.Context, f freerun.Future[int]) (int, error) {
					return f.Value(), nil
				}))
				f, behind := ask(u, v)
				opens.Resolve(f, nil)
				gate.Resolve(0, nil)
				if _, err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
					t.Fatalf("the suspension: %v", err)
				}
				runtimetest.Must(t, behind)
			}
		})
	}
	t.Run("late", func(t *testing.T) { // closed by a message that comes to the mailbox
		for range 20 {
			u := freerun.NewUnit(rt, 1)
			x := rt.Scope(t.Context())
			gate := freerun.NewPromise[int](c)
			f := peekAfter.Send(c, u, gate.Future())
			s := freerun.Suspend(x.Context(), u, f)
			awaitSuspended(t, rt, 1)
			gate.Resolve(1, nil)
			if _, err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
				t.Fatalf("the suspension: %v", err)
			}
			runtimetest.Must(t, f)
			if err := x.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCycle) {
				t.Fatalf("the scope: %v", err)
			}
		}
	})
	// A control: without a circle none is found.
	u, v, apart := freerun.NewUnit(rt, 1), freerun.NewUnit(rt, 2), freerun.NewUnit(rt, 3)
	gate := freerun.NewPromise[int](c)
	s := freerun.Suspend(c, u, peekAfter.Send(c, apart, gate.Future()))
	f := freerun.When2(c, v, u, sum)
	gate.Resolve(0, nil)
	runtimetest.Must(t, s)
	runtimetest.Must(t, f)
}

// TestSuspendInScope cancels the scope of a Suspend that waits for its turn, and of one that has
// begun; and one in which the promise was made, too.
func TestSuspendInScope(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	u := freerun.NewUnit(rt, 0)
	outer := freerun.NewPromise[int](c)
	x, cause := rt.Scope(t.Context()), errors.New("enough")
	begun := freerun.Suspend(x.Context(), u, outer.Future())
	waits := freerun.Suspend(x.Context(), u, freerun.NewPromise[int](c).Future())
	awaitSuspended(t, rt, 1)
	x.Cancel(cause)
	if _, err := waits.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("the one that waits: %v", err)
	}
	if _, err := begun.Result(); err != freerun.ErrWouldBlock || !u.Stats().Suspended {
		t.Errorf("the one that has begun: %v", err)
	}
	outer.Resolve(5, nil)
	if n := runtimetest.Must(t, begun); n != 5 {
		t.Errorf("the one that has begun: %d", n)
	}
	runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1))

	x = rt.Scope(t.Context())
	s := freerun.Suspend(x.Context(), u, freerun.NewPromise[int](x.Context()).Future())
	awaitSuspended(t, rt, 1)
	x.Cancel(cause)
	if _, err := s.Wait(t.Context()); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("a promise of the scope: %v", err)
	}
	runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1))
	x.Wait(runtimetest.Within(t))
}

// TestSuspendAtTheEnd ends a runtime while a unit is suspended: a Shutdown waits, until its
// deadline; a Close gives up what is in the mailbox, and counts it.
func TestSuspendAtTheEnd(t *testing.T) {
	for _, how := range []string{"resumed", "deadline", "close", "timer"} {
		rt, _ := runtimetest.Start(t)
		c := rt.Context()
		u := freerun.NewUnit(rt, 0)
		p := freerun.NewPromise[int](c)
		s := freerun.Suspend(c, u, p.Future())
		if how == "timer" {
			p.Resolve(0, nil)
			runtimetest.Must(t, s)
			s = freerun.Suspend(c, u, freerun.Then(c, freerun.After(c, time.Hour), func(*freerun.Context, time.Time) (int, error) { return 0, nil }))
		}
		awaitSuspended(t, rt, 1)
		var behind []freerun.Future[int]
		for range 10 {
			behind = append(behind, runtimetest.AddOne.Send(c, u, 1))
			runtimetest.AddOne.Tell(c, u, 1)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			if how == "close" {
				done <- rt.Close()
			} else {
				done <- rt.Shutdown(ctx)
			}
		}()
		<-rt.Draining()
		switch how {
		case "resumed":
			p.Resolve(1, nil)
		case "deadline":
			cancel()
		}
		err := <-done
		cancel()
		last, failed := behind[9].Result()
		if how == "resumed" || how == "timer" {
			if err != nil || last != 19 || failed != nil {
				t.Errorf("%s: %v; %d, %v", how, err, last, failed)
			}
			continue
		}
		// The promise, the suspension, and twenty messages.
		left, ok := errors.AsType[*freerun.ShutdownError](err)
		if !ok || left.Abandoned != 22 || failed != freerun.ErrClosed {
			t.Errorf("%s: %v; the last: %v", how, err, failed)
		}
		if _, err := s.Result(); err != freerun.ErrClosed {
			t.Errorf("%s: the suspension: %v", how, err)
		}
		if p.Resolve(1, nil) {
			t.Errorf("%s: resolved after the end", how)
		}
	}
}

// TestSuspendFillsMailbox suspends a unit with a limit: its mailbox refuses what is too much, or
// keeps goroutines waiting; a unit that sends to it is not held back.
func TestSuspendFillsMailbox(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.Reject))
	p := freerun.NewPromise[int](c)
	freerun.Suspend(c, u, p.Future())
	awaitSuspended(t, rt, 1)
	kept := []freerun.Future[int]{runtimetest.AddOne.Send(c, u, 1), runtimetest.AddOne.Send(c, u, 1)}
	if _, err := runtimetest.AddOne.Send(c, u, 1).Wait(t.Context()); !errors.Is(err, freerun.ErrFull) {
		t.Error(err)
	}
	p.Resolve(0, nil)
	runtimetest.Must(t, kept[1])
	awaitSuspended(t, rt, 0)

	u = freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.WaitForRoom))
	p = freerun.NewPromise[int](c)
	freerun.Suspend(c, u, p.Future())
	awaitSuspended(t, rt, 1)
	sender := freerun.NewUnit(rt, 3)
	flood.Send(c, sender, u)
	if n := runtimetest.Must(t, peek.Send(c, sender, struct{}{})); n != 3 {
		t.Errorf("the sender: %d", n)
	}
	waits := make(chan error)
	go func() { waits <- runtimetest.AddOne.Tell(c, u, 1) }()
	for freerun.WaitingForRoom(u) == 0 {
		time.Sleep(time.Millisecond)
	}
	p.Resolve(0, nil)
	if err := <-waits; err != nil {
		t.Error(err)
	}
	rt.Quiesce(runtimetest.Within(t))
	if s := u.Stats(); s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
}

var (
	paused      = freerun.NewKind("paused", func(_ *freerun.Context, key int) (int, error) { return key, nil }, freerun.PassivateAfter(4*time.Millisecond))
	pausedTight = freerun.NewKind("pausedTight", func(_ *freerun.Context, key int) (int, error) { return key, nil }, freerun.MaxActive(1))
)

// TestSuspendOfKind suspends units of kinds: one that is active does not become passive for being
// idle, or for room, and one that is passive stays so.
func TestSuspendOfKind(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	p := freerun.NewPromise[int](c)
	s := freerun.Suspend(c, paused.At(c, 7), p.Future()) // passive
	awaitSuspended(t, rt, 1)
	if all := rt.SuspendedUnits(); !strings.HasSuffix(all[0].Unit, "paused(7)") || paused.Len(rt) != 0 {
		t.Errorf("%v; %d are active", all, paused.Len(rt))
	}
	f := peek.Send(c, paused.At(c, 7), struct{}{})
	if _, err := f.Result(); err != freerun.ErrWouldBlock {
		t.Error(err)
	}
	p.Resolve(0, nil)
	runtimetest.Must(t, s)
	if n := runtimetest.Must(t, f); n != 7 {
		t.Errorf("%d", n)
	}
	for _, kind := range []*freerun.Kind[int, int]{paused, pausedTight} {
		p := freerun.NewPromise[int](c)
		var s freerun.Future[int]
		// From within, so that the unit is not idle before.
		runtimetest.Must(t, freerun.Do(c, kind.At(c, 1), func(c *freerun.Context, n *int) (int, error) {
			*n += 10
			s = freerun.Suspend(c, kind.Self(c), p.Future())
			return *n, nil
		}))
		awaitSuspended(t, rt, 1)
		for key := range 3 { // time passes, and others need the room
			runtimetest.Must(t, peek.Send(c, kind.At(c, 10+key), struct{}{}))
			time.Sleep(5 * time.Millisecond)
		}
		behind := peek.Send(c, kind.At(c, 1), struct{}{})
		if !kind.At(c, 1).Stats().Suspended {
			t.Error("not suspended")
		}
		p.Resolve(0, nil)
		runtimetest.Must(t, s)
		if n := runtimetest.Must(t, behind); n != 11 {
			t.Errorf("the state is %d, another one", n)
		}
	}
}

// TestSuspendByOperation has units suspend themselves and others in operations, with panics around.
func TestSuspendByOperation(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	c := rt.Context()
	u := freerun.NewUnit(rt, 0, freerun.RestartOnPanic(func() int { return 100 }, 5, time.Hour))
	s := freerun.Do(c, u, func(c *freerun.Context, n *int) (int, error) {
		p := freerun.NewPromise[int](c)
		freerun.Suspend(c, u, p.Future())
		freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { panic("behind") })
		last := runtimetest.AddOne.Send(c, u, 1)
		freerun.Go(c, func(c *freerun.Context) (int, error) { p.Resolve(1, nil); return 0, nil })
		return freerun.Forward(c, last)
	})
	if n := runtimetest.Must(t, s); n != 101 {
		t.Errorf("%d", n)
	}
}

// TestSuspendStress suspends units from many places at once, with messages to one and several of
// them, priorities, scopes that are canceled and looks: each message is done, none runs beside a
// suspension, and the books are even.
func TestSuspendStress(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(4))
	c := rt.Context()
	type cell struct{ n int }
	var units [4]*freerun.Unit[cell]
	for i := range units {
		var options []freerun.UnitOption
		if i == 1 {
			options = append(options, freerun.MailboxLimit(1000, freerun.WaitForRoom))
		}
		units[i] = freerun.NewUnit(rt, cell{}, options...)
	}
	var ran, sent atomic.Int64
	step := func(_ *freerun.Context, x *cell) (int, error) { x.n++; ran.Add(1); return x.n, nil }
	pair := func(_ *freerun.Context, x, y *cell) (int, error) { x.n++; y.n++; ran.Add(2); return 0, nil }
	var senders sync.WaitGroup
	for sender := range 3 {
		senders.Go(func() {
			for i := range 400 {
				u, v := units[(i+sender)%4], units[(i+sender+1+i%3)%4]
				switch i % 5 {
				case 0:
					p := freerun.NewPromise[int](c)
					x := rt.Scope(t.Context())
					freerun.Suspend(x.Context().WithPriority(runtimetest.Priorities[i%len(runtimetest.Priorities)]), u, p.Future())
					if i%3 == 0 {
						go x.Cancel(nil)
					}
					go p.Resolve(1, nil)
				case 1:
					freerun.When2(c, u, v, pair)
					sent.Add(2)
				case 2:
					freerun.Read(c, u, func(_ *freerun.Context, x *cell) (int, error) { return x.n, nil })
				default:
					freerun.Do(c.WithPriority(runtimetest.Priorities[i%len(runtimetest.Priorities)]), u, step)
					sent.Add(1)
				}
			}
		})
	}
	senders.Wait()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, u := range units {
		total += runtimetest.Must(t, freerun.Do(c, u, func(_ *freerun.Context, x *cell) (int, error) { return x.n, nil }))
		if s := u.Stats(); s.Suspended || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	}
	if ran.Load() != sent.Load() || int64(total) != sent.Load() || len(rt.SuspendedUnits()) > 0 {
		t.Errorf("%d were sent, %d ran, %d were seen; suspended are %v", sent.Load(), ran.Load(), total, rt.SuspendedUnits())
	}
	if s := rt.Stats(); s.Sent != s.Done || s.Panics > 0 {
		t.Errorf("%d sent, %d done, %d panics", s.Sent, s.Done, s.Panics)
	}
}

// TestSuspendRacesClose closes a runtime while units are suspended and go on: the books are even,
// and each future has an outcome.
func TestSuspendRacesClose(t *testing.T) {
	for round := range 30 {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		c := rt.Context()
		u := freerun.NewUnit(rt, 0)
		var all []freerun.Future[int]
		var promises []*freerun.Promise[int]
		for range 20 {
			p := freerun.NewPromise[int](c)
			promises = append(promises, p)
			all = append(all, freerun.Suspend(c, u, p.Future()), runtimetest.AddOne.Send(c, u, 1))
		}
		var resolver sync.WaitGroup
		resolver.Go(func() {
			for _, p := range promises {
				p.Resolve(1, nil)
			}
		})
		if round%2 == 0 {
			resolver.Wait()
		}
		err := rt.Close()
		resolver.Wait()
		open := slices.IndexFunc(all, func(f freerun.Future[int]) bool {
			_, err := f.Result()
			return err != nil && err != freerun.ErrClosed
		})
		if s := rt.Stats(); s.Sent != s.Done && err == nil || open >= 0 {
			t.Errorf("%d sent, %d done, %v; future %d is open", s.Sent, s.Done, err, open)
		}
	}
}
