package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// behindDoor returns a unit whose mailbox has room for most, with its door shut: one message has
// begun, and the mailbox is full of others.
func behindDoor(t *testing.T, rt *freerun.Runtime, most int, full freerun.FullPolicy, more ...freerun.UnitOption) (u *freerun.Unit[doorway], open chan struct{}) {
	open = make(chan struct{})
	u = freerun.NewUnit(rt, doorway{open: open}, append(more, freerun.MailboxLimit(most, full))...)
	pass.Tell(rt.Context(), u, 0)
	for u.Stats().Operations == 0 {
		runtime.Gosched()
	}
	for range most {
		if err := pass.Tell(rt.Context().NoWait(), u, 0); err != nil {
			t.Fatal(err)
		}
	}
	return u, open
}

var passRead = freerun.ReadOp("passRead", func(*freerun.Context, *doorway, int) (int, error) { return 0, nil })

// TestNoWait: no form of a send through such a context waits, or has the sender held back; it gets
// ErrFull, whatever the policy, and that is no failure of its scope.
func TestNoWait(t *testing.T) {
	for _, full := range []freerun.FullPolicy{freerun.Reject, freerun.WaitForRoom} {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		u, open := behindDoor(t, rt, 2, full)
		s := rt.Scope(t.Context())
		try := func(c *freerun.Context) (errs []error) {
			c = c.NoWait()
			errs = append(errs, pass.Tell(c, u, 0), failureOf(freerun.Room(rt.Context(), freerun.NewUnit(rt, 0))))
			for _, f := range []freerun.Future[int]{
				pass.Send(c, u, 0), passRead.Send(c, u, 0), pass.Send(c.WithPriority(freerun.High), u, 0),
				pass.Send(c.WithValue(traceKey{}, 1), u, 0), pass.Send(c.WithScope(s), u, 0), pass.Send(c.NoWait(), u, 0),
				freerun.Do(c, u, func(*freerun.Context, *doorway) (int, error) { return 0, nil }),
				freerun.Read(c, u, func(*freerun.Context, *doorway) (int, error) { return 0, nil }),
			} {
				errs = append(errs, failureOf(f))
			}
			return errs
		}
		check := func(from string, errs []error) {
			for i, err := range errs {
				if want := i != 1; errors.Is(err, freerun.ErrFull) != want {
					t.Errorf("policy %d, %s, send %d: %v", full, from, i, err)
				}
			}
		}
		check("an ordinary goroutine", try(rt.Context()))
		check("a goroutine in a scope", try(s.Context()))
		sender := freerun.NewUnit(rt, 0)
		check("an operation", runtimetest.Must(t, freerun.Do(s.Context(), sender, func(c *freerun.Context, _ *int) ([]error, error) { return try(c), nil })))
		check("after Block", runtimetest.Must(t, freerun.Do(rt.Context(), sender, func(c *freerun.Context, _ *int) (errs []error, err error) {
			c.Block(func() { errs = try(c) })
			return errs, nil
		})))
		if st := sender.Stats(); st.HeldBack || st.Operations != 2 {
			t.Errorf("the sender: %+v", st)
		}
		if _, err := pass.Call(rt.Context().NoWait(), u, 0); !errors.Is(err, freerun.ErrFull) {
			t.Errorf("Call: %v", err)
		}
		ctx, cancel := context.WithCancel(rt.Context().NoWait())
		if _, err := pass.Call(ctx, u, 0); !errors.Is(err, freerun.ErrFull) {
			t.Errorf("Call with a context made from one: %v", err)
		}
		cancel()
		if st := u.Stats(); st.Peak != 2 || st.Waiting != 2 {
			t.Errorf("the mailbox: %+v", st)
		}
		close(open)
		if err := s.Wait(runtimetest.Within(t)); err != nil {
			t.Errorf("refusals fail the scope: %v", err)
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if st := rt.Stats(); st.Sent != st.Done {
			t.Errorf("accounts: %+v", st)
		}
	}
}

// TestNoWaitKeyed: Submit through such a context does not wait.
func TestNoWaitKeyed(t *testing.T) {
	rt := runtimetest.Quiet(t)
	open := make(chan struct{})
	jobs := freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 1}, func(c *freerun.Context, _, _ int) error { c.Block(func() { <-open }); return nil })
	if err := jobs.Submit(rt.Context().NoWait(), 1, 1); err != nil {
		t.Error(err)
	}
	if err := jobs.Submit(rt.Context().NoWait(), 2, 1); !errors.Is(err, freerun.ErrFull) {
		t.Errorf("Submit to a full Keyed: %v", err)
	}
	close(open)
	if err := jobs.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}

// TestNoWaitFlood: an ordinary goroutine that tells without waiting gets through all its messages
// while the receiver runs none, and never sleeps: the receiver waits for the last one.
func TestNoWaitFlood(t *testing.T) {
	const messages = 20_000
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	open := make(chan struct{})
	u := freerun.NewUnit(rt, doorway{open: open})
	c := rt.Context().NoWait()
	for range messages {
		if err := pass.Tell(c, u, 0); err != nil {
			t.Fatal(err)
		}
	}
	close(open)
	if n := runtimetest.Must(t, pass.Send(c, u, 0)); n != messages+1 {
		t.Errorf("%d of %d", n, messages+1)
	}
}

// TestRoom: a future of room is resolved at once where there is room, and otherwise when a place
// becomes free, in the order of those that ask.
func TestRoom(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	if f := freerun.Room(rt.Context(), freerun.NewUnit(rt, 0)); !isResolved(f) {
		t.Error("no room in a mailbox without a limit")
	}
	u, open := behindDoor(t, rt, 1, freerun.WaitForRoom)
	var all []freerun.Future[struct{}]
	for range 40 {
		all = append(all, freerun.Room(rt.Context(), u))
	}
	for i, f := range all {
		if isResolved(f) {
			t.Fatalf("%d: there is room in a full mailbox", i)
		}
	}
	open <- struct{}{} // the first message ends, the second begins: one place
	runtimetest.Must(t, all[0])
	for i, f := range all { // nobody sends: all learn of it
		if _, err := f.Wait(runtimetest.Within(t)); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	if f := freerun.Room(rt.Context(), u); !isResolved(f) {
		t.Error("no room in an empty mailbox")
	}
	close(open)
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
		t.Errorf("accounts: %+v", s)
	}
}

// failureOf returns the error of a future that is resolved.
func failureOf[R any](f freerun.Future[R]) error {
	_, err := f.Result()
	return err
}

// isResolved reports whether a future has an outcome already.
func isResolved[R any](f freerun.Future[R]) bool {
	select {
	case <-f.Done():
		return true
	default:
		return false
	}
}

// TestRoomOrder: places are told in the order in which they were asked for, one by one.
func TestRoomOrder(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	const most, asked = 3, 3
	u, open := behindDoor(t, rt, most, freerun.Reject)
	var all []freerun.Future[struct{}]
	for range asked {
		all = append(all, freerun.Room(rt.Context(), u))
	}
	for i := range most - 1 { // the mailbox does not become empty
		open <- struct{}{}
		runtimetest.Must(t, all[i])
		for n, f := range all[i+1:] {
			if isResolved(f) {
				t.Errorf("after %d places, %d were told", i+1, i+2+n)
			}
		}
	}
	close(open)
	for _, f := range all {
		runtimetest.Must(t, f)
	}
}

// TestRoomLateComer: who asks while a place is free comes behind those that wait.
func TestRoomLateComer(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	u, open := behindDoor(t, rt, 3, freerun.Reject)
	var all []freerun.Future[struct{}]
	for range 3 {
		all = append(all, freerun.Room(rt.Context(), u))
	}
	open <- struct{}{}
	runtimetest.Must(t, all[0]) // a place is free, and the first was told of it
	all = append(all, freerun.Room(rt.Context(), u))
	if isResolved(all[2]) || isResolved(all[3]) {
		t.Error("one place has become free, and the last ones were told")
	}
	close(open)
	for _, f := range all {
		runtimetest.Must(t, f)
	}
}

// TestRoomFails: a future of room in a mailbox that stays full ends with its scope, with the unit
// and with the runtime.
func TestRoomFails(t *testing.T) {
	ends := map[string]struct {
		end  func(rt *freerun.Runtime, s *freerun.Scope, u *freerun.Unit[doorway], open chan struct{})
		want error
	}{
		"canceled": {func(_ *freerun.Runtime, s *freerun.Scope, _ *freerun.Unit[doorway], _ chan struct{}) { s.Cancel(nil) }, freerun.ErrCanceled},
		"closed": {func(rt *freerun.Runtime, _ *freerun.Scope, _ *freerun.Unit[doorway], open chan struct{}) {
			go func() {
				<-rt.Context().Done()
				close(open)
			}()
			rt.Close()
		}, freerun.ErrClosed},
		"drained": {func(rt *freerun.Runtime, _ *freerun.Scope, _ *freerun.Unit[doorway], open chan struct{}) {
			go func() {
				<-rt.Draining()
				close(open)
			}()
			if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
		}, nil},
	}
	for name, e := range ends {
		t.Run(name, func(t *testing.T) {
			rt := runtimetest.Quiet(t, freerun.Processors(2))
			u, open := behindDoor(t, rt, 2, freerun.WaitForRoom)
			s := rt.Scope(t.Context())
			f := freerun.Room(s.Context(), u)
			g := freerun.Handle(rt.Context(), f, func(_ *freerun.Context, _ struct{}, err error) (int, error) { return 1, nil })
			e.end(rt, s, u, open)
			if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, e.want) {
				t.Errorf("%v instead of %v", err, e.want)
			}
			if name != "closed" {
				runtimetest.Must(t, g)
			}
			if name == "canceled" {
				if err := failureOf(freerun.Room(s.Context(), u)); !errors.Is(err, freerun.ErrCanceled) {
					t.Errorf("asked after the cancel: %v", err)
				}
				close(open)
			}
		})
	}
	rt, other := runtimetest.Quiet(t), runtimetest.Quiet(t)
	if err := failureOf(freerun.Room(rt.Context(), freerun.NewUnit(other, 0))); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("a unit of another runtime: %v", err)
	}
	rt.Close()
	if err := failureOf(freerun.Room(rt.Context(), freerun.NewUnit(rt, 0))); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("a closed runtime: %v", err)
	}
}

// TestRoomOfAStoppedUnit: a unit that is stopped, by a panic or by Stop, fails those that wait for
// room in its full mailbox, and those that ask later.
func TestRoomOfAStoppedUnit(t *testing.T) {
	for name, panics := range map[string]bool{"panic": true, "Stop": false} {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		g := runtimetest.NewGate()
		u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(1, freerun.Reject), freerun.StopOnPanic())
		freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) {
			g.Pass()
			if panics {
				panic("stops")
			}
			return 0, nil
		})
		<-g.Entered
		if !panics {
			freerun.Stop(rt.Context(), u)
		}
		runtimetest.AddOne.Tell(rt.Context(), u, 1)
		f := freerun.Room(rt.Context(), u)
		close(g.Opened)
		var e *freerun.StoppedError
		if _, err := f.Wait(runtimetest.Within(t)); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		if err := failureOf(freerun.Room(rt.Context(), u)); !errors.As(err, &e) {
			t.Errorf("%s, asked after the end: %v", name, err)
		}
	}
}

// TestRoomKeepsNoCanceled: those whose scopes are canceled do not stay in the line of a mailbox
// that is full for long.
func TestRoomKeepsNoCanceled(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	u, open := behindDoor(t, rt, 1, freerun.Reject)
	for range 1000 {
		s := rt.Scope(t.Context())
		freerun.Room(s.Context(), u)
		s.Cancel(nil)
		s.Wait(runtimetest.Within(t))
	}
	if n := freerun.WaitersForRoom(u); n > 100 {
		t.Errorf("%d of 1000 canceled waiters are kept", n)
	}
	f := freerun.Room(rt.Context(), u)
	close(open)
	runtimetest.Must(t, f)
}

// mover is the state of a unit that sends numbers on, and never waits: what does not fit is sent
// when there is room.
type mover struct {
	self *freerun.Unit[mover]
	to   *freerun.Unit[[]int]
	next int
	left int
}

var (
	arrive  = freerun.Op("arrive", func(_ *freerun.Context, got *[]int, n int) (int, error) { *got = append(*got, n); return 0, nil })
	moveAll = freerun.Op[mover, freerun.Future[struct{}], int]("moveAll", nil)
)

var _ = freerun.Define(moveAll, func(c *freerun.Context, m *mover, _ freerun.Future[struct{}]) (int, error) {
	for ; m.left > 0; m.left-- {
		switch err := arrive.Tell(c.NoWait(), m.to, m.next); {
		case errors.Is(err, freerun.ErrFull):
			return 0, moveAll.Tell(c, m.self, freerun.Room(c, m.to))
		case err != nil:
			return 0, err
		}
		m.next++
	}
	return 0, nil
})

// moving has several movers send to one unit, and checks what that got.
func moving(t testing.TB, rt *freerun.Runtime, many, each, most int) {
	sink := freerun.NewUnit(rt, []int(nil), freerun.MailboxLimit(most, freerun.WaitForRoom))
	s := rt.Scope(context.Background())
	for i := range many {
		u := freerun.NewUnit(rt, mover{to: sink, next: i * each, left: each})
		freerun.Do(s.Context(), u, func(_ *freerun.Context, m *mover) (int, error) { m.self = u; return 0, nil })
		moveAll.Tell(s.Context(), u, freerun.Resolved(struct{}{}))
	}
	if err := s.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	got, err := freerun.Read(rt.Context(), sink, func(_ *freerun.Context, got *[]int) ([]int, error) { return slices.Clone(*got), nil }).Wait(context.Background())
	if err != nil || len(got) != many*each {
		t.Errorf("%d of %d, %v", len(got), many*each, err)
	}
	next := make([]int, many)
	for _, n := range got {
		if of := n / each; n%each != next[of] {
			t.Errorf("mover %d: %d instead of %d", of, n%each, next[of])
			return
		}
		next[n/each]++
	}
	if peak := sink.Stats().Peak; peak > most {
		t.Errorf("a mailbox for %d held %d", most, peak)
	}
}

// TestRoomForwarders: units that send on without waiting lose nothing, keep the order, and never
// exceed the limit.
func TestRoomForwarders(t *testing.T) {
	for _, most := range []int{1, 3} {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		moving(t, rt, 5, 100, most)
		if s := rt.Stats(); s.Panics != 0 {
			t.Errorf("%+v", s)
		}
	}
	freeruntest.Explore(t, func(rt *freerun.Runtime) { moving(t, rt, 3, 4, 1) }, freeruntest.Runs(60))
}

// TestRoomReaders: ordinary goroutines that try, and wait for room with a deadline of their own,
// get all through beside others that wait in their sends.
func TestRoomReaders(t *testing.T) {
	const readers, each = 4, 300
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.WaitForRoom))
	ctx := runtimetest.Within(t)
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			for n := 0; n < each; {
				c := rt.Context()
				if i > 0 {
					c = c.NoWait()
				}
				switch err := runtimetest.AddOne.Tell(c, u, 1); {
				case err == nil:
					n++
				case !errors.Is(err, freerun.ErrFull):
					t.Error(err)
					return
				default:
					if _, err := freerun.Room(c, u).Wait(ctx); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != readers*each {
		t.Errorf("%d of %d", n, readers*each)
	}
	if s := u.Stats(); s.Peak > 2 {
		t.Errorf("%+v", s)
	}
	if err := rt.Quiesce(ctx); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("accounts: %+v", s)
	}
}

// TestRoomRaces ends a mailbox in the middle of what is sent to it without waiting: all that waits
// for room learns of the end, and every message is accounted for.
func TestRoomRaces(t *testing.T) {
	type ender = func(rt *freerun.Runtime, s *freerun.Scope, u *freerun.Unit[[]int])
	var left error // by a Close
	crash := func(fn func()) ender {
		return func(rt *freerun.Runtime, _ *freerun.Scope, u *freerun.Unit[[]int]) {
			freerun.Do(rt.Context(), u, func(*freerun.Context, *[]int) (int, error) { fn(); return 0, nil })
		}
	}
	for name, end := range map[string]ender{
		"Close":    func(rt *freerun.Runtime, _ *freerun.Scope, _ *freerun.Unit[[]int]) { left = rt.Close() },
		"Shutdown": func(rt *freerun.Runtime, _ *freerun.Scope, _ *freerun.Unit[[]int]) { rt.Shutdown(t.Context()) },
		"Cancel":   func(_ *freerun.Runtime, s *freerun.Scope, _ *freerun.Unit[[]int]) { s.Cancel(nil) },
		"Stop":     func(rt *freerun.Runtime, _ *freerun.Scope, u *freerun.Unit[[]int]) { freerun.Stop(rt.Context(), u) },
		"panic":    crash(func() { panic("ends") }),
		"Goexit":   crash(runtime.Goexit),
	} {
		for round := range 25 {
			rt := runtimetest.Quiet(t, freerun.Processors(2))
			sink := freerun.NewUnit(rt, []int(nil), freerun.MailboxLimit(1+round%2, freerun.WaitForRoom), freerun.StopOnPanic())
			s := rt.Scope(context.Background())
			for range 3 {
				u := freerun.NewUnit(rt, mover{to: sink, left: 200})
				freerun.Do(s.Context(), u, func(_ *freerun.Context, m *mover) (int, error) { m.self = u; return 0, nil })
				moveAll.Tell(s.Context(), u, freerun.Resolved(struct{}{}))
			}
			ctx := runtimetest.Within(t)
			var readers sync.WaitGroup
			for range 2 {
				readers.Go(func() {
					c := s.Context().NoWait()
					for range 200 {
						err := arrive.Tell(c, sink, 0)
						if errors.Is(err, freerun.ErrFull) {
							_, err = freerun.Room(c, sink).Wait(ctx)
						}
						if err != nil {
							if errors.Is(err, context.DeadlineExceeded) {
								t.Errorf("%s: a reader hangs", name)
							}
							return
						}
					}
				})
			}
			for sink.Stats().Operations < uint64(10*(round%5)) {
				runtime.Gosched()
			}
			end(rt, s, sink)
			readers.Wait()
			if err := s.Wait(ctx); errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%s: the scope hangs", name)
			}
			if err := rt.Quiesce(ctx); errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%s: the runtime hangs", name)
			}
			e := &freerun.ShutdownError{}
			errors.As(left, &e)
			if st := rt.Stats(); st.Done > st.Sent || st.Sent-st.Done > e.Abandoned {
				t.Errorf("%s: %d abandoned, accounts: %+v", name, e.Abandoned, st)
			}
			left = nil
		}
	}
}

var slowToWake = freerun.NewKind("slowToWake", func(c *freerun.Context, _ int) (int, error) {
	return freerun.Forward(c, freerun.Then(c, freerun.After(c, time.Second), func(*freerun.Context, time.Time) (int, error) { return 0, nil }))
}, freerun.MailboxLimit(1, freerun.Reject))

// TestRoomOfKinds: units of kinds have room, and tell of it, across passivations.
func TestRoomOfKinds(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Deterministic(5))
	u := slowToWake.At(rt.Context(), 1)
	if f := freerun.Room(rt.Context(), u); !isResolved(f) {
		t.Error("no room in a passive unit")
	}
	for round := range 3 {
		first := runtimetest.AddOne.Send(rt.Context(), u, 1)
		f := freerun.Room(rt.Context(), u)
		runtimetest.Must(t, f)
		if n := runtimetest.Must(t, first); n != 1 {
			t.Errorf("round %d: %d", round, n)
		}
		runtimetest.Must(t, slowToWake.Stop(rt.Context(), 1))
	}
}

// TestMailboxChain: the pressure goes up a chain of units that have limits, however long the sender
// sends: none holds more than its limit and what its sender was held back for.
func TestMailboxChain(t *testing.T) {
	const stages, most, messages = 5, 1, 3000
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	chain := make([]*freerun.Unit[relay], stages)
	for i := stages - 1; i >= 0; i-- {
		var to []*freerun.Unit[relay]
		if i < stages-1 {
			to = append(to, chain[i+1])
		}
		chain[i] = freerun.NewUnit(rt, relay{to: to}, freerun.MailboxLimit(most, freerun.WaitForRoom))
	}
	last := chain[stages-1]
	g := runtimetest.NewGate()
	freerun.Do(rt.Context(), last, func(*freerun.Context, *relay) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for range messages {
			if err := passOn.Tell(rt.Context(), chain[0], stages); err != nil {
				t.Error(err)
			}
		}
	}()
	for chain[0].Stats().Waiting < most || !chain[0].Stats().HeldBack {
		runtime.Gosched() // the pressure has come to the first one
	}
	close(g.Opened)
	<-sent
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	for i, u := range chain {
		if s := u.Stats(); s.Peak > most+1 || s.HeldBack || s.Waiting != 0 {
			t.Errorf("stage %d: %+v", i, s)
		}
	}
	if n := last.Stats().Operations; n != messages+1 {
		t.Errorf("%d of %d messages were run", n-1, messages)
	}
}
