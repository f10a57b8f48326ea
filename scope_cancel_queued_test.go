package freerun_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestScopeCancelStartsNothing: once Cancel has returned, no message of the scope is started.
// The machine may stop a processor between the last instruction of the start and the first of the
// operation, and no program can tell the two apart. So the test tolerates one in a thousand scopes.
func TestScopeCancelStartsNothing(t *testing.T) {
	const scopes = 3000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	units := []*freerun.Unit[int]{freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)}
	late := 0
	for range scopes {
		s := rt.Scope(context.Background())
		var over atomic.Bool
		var after atomic.Int64
		note := func(*freerun.Context, *int) (int, error) {
			if over.Load() {
				after.Add(1)
			}
			return 1, nil
		}
		for i := range 60 {
			freerun.Do(s.Context(), units[i%2], note)
		}
		s.Cancel(nil)
		over.Store(true)
		if err := s.Wait(runtimetest.Within(t)); err != nil && !errors.Is(err, freerun.ErrCanceled) {
			t.Fatal(err)
		}
		if after.Load() > 0 {
			late++
		}
	}
	if late > scopes/1000 {
		t.Errorf("in %d of %d scopes something was started after Cancel had returned", late, scopes)
	}
}

type pile struct{ ran int }

var (
	pileAdd  = freerun.Op("pile.add", func(_ *freerun.Context, p *pile, n int) (int, error) { p.ran++; return n, nil })
	pileLook = freerun.ReadOp("pile.look", func(_ *freerun.Context, p *pile, n int) (int, error) { return n, nil })
	pileBoth = freerun.Op2("pile.both", func(_ *freerun.Context, p, q *pile, n int) (int, error) { p.ran++; q.ran++; return n, nil })
	pileTake = freerun.Op("pile.take", func(_ *freerun.Context, p *pile, f freerun.Future[int]) (int, error) { p.ran++; return f.Value(), nil })
)

// TestScopeCancelFailsQueued: messages queued at a busy unit, by any kind of send, fail at Cancel.
// Neither Wait of their futures nor Wait of the scope waits for the unit.
func TestScopeCancelFailsQueued(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u, v := freerun.NewUnit(rt, pile{}), freerun.NewUnit(rt, pile{})
	g := runtimetest.NewGate()
	busy := freerun.Do(rt.Context(), u, func(*freerun.Context, *pile) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	cause := errors.New("enough")
	s := rt.Scope(context.Background(), freerun.ScopeName("queued"))
	c := s.Context()
	futures := map[string]freerun.Future[int]{
		"Op":                  pileAdd.Send(c, u, 1),
		"ReadOp":              pileLook.Send(c, u, 1),
		"Op2":                 pileBoth.Send(c, v, u, 1),
		"High":                pileAdd.Send(c.WithPriority(freerun.High), u, 1),
		"Do":                  freerun.Do(c, u, func(*freerun.Context, *pile) (int, error) { return 1, nil }),
		"waits for a future":  pileTake.Send(c, v, busy),
		"waits for one of it": pileTake.Send(c, v, pileAdd.Send(c, u, 2)),
	}
	for range 10 {
		if err := pileAdd.Tell(c, u, 1); err != nil {
			t.Fatal(err)
		}
	}
	waited := make(chan error, 2*len(futures))
	for _, f := range futures {
		go func() {
			_, err := f.Wait(runtimetest.Within(t))
			waited <- err
		}()
		done := f.Done()
		go func() {
			<-done
			_, err := f.Result()
			waited <- err
		}()
	}
	scopeWaited := make(chan error)
	go func() { scopeWaited <- s.Wait(runtimetest.Within(t)) }()
	time.Sleep(time.Millisecond)
	s.Cancel(cause)
	for name, f := range futures {
		// ErrWouldBlock: another goroutine that asks is sealing the promise now.
		if _, err := f.Result(); !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrWouldBlock) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2 * len(futures) {
		if err := <-waited; !errors.Is(err, cause) {
			t.Errorf("a waiter: %v", err)
		}
	}
	for _, err := range []error{<-scopeWaited, s.Wait(runtimetest.Within(t))} {
		if !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, cause) {
			t.Errorf("Wait of the scope: %v", err)
		}
	}
	if _, err := busy.Result(); err != freerun.ErrWouldBlock {
		t.Errorf("the unit was not busy: %v", err)
	}
	close(g.Opened)
	runtimetest.Must(t, busy)
	for _, x := range []*freerun.Unit[pile]{u, v} {
		ran := runtimetest.Must(t, freerun.Do(rt.Context(), x, func(_ *freerun.Context, p *pile) (int, error) { return p.ran, nil }))
		if ran != 0 {
			t.Errorf("%d operations of a canceled scope ran", ran)
		}
	}
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	if st := rt.Stats(); st.Sent != st.Done {
		t.Errorf("%+v", st)
	}
}

// TestScopeCancelAccounts cancels scopes while their messages run, wait for each other and panic,
// and while other goroutines look at the futures. Each message has one outcome, and has run if that
// is not ErrCanceled. The scope's Wait returns after the last operation that ran.
func TestScopeCancelAccounts(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	units := []*freerun.Unit[pile]{freerun.NewUnit(rt, pile{}), freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(8, freerun.WaitForRoom)), freerun.NewUnit(rt, pile{})}
	for round := range 400 {
		outer := rt.Scope(context.Background())
		s := outer
		if round%3 == 0 {
			s = rt.Scope(outer.Context())
		}
		var began, ended atomic.Int64
		run := func(c *freerun.Context, p *pile) (int, error) {
			began.Add(1)
			defer ended.Add(1)
			if round%7 == 0 && p.ran%5 == 0 {
				panic("as some do")
			}
			p.ran++
			return 1, nil
		}
		var futures []freerun.Future[int]
		var looking sync.WaitGroup
		canceled := make(chan struct{})
		for i := range 40 {
			f := freerun.Do(s.Context(), units[i%3], run)
			if i%4 == 0 {
				f = freerun.Then(s.Context(), f, func(*freerun.Context, int) (int, error) { began.Add(1); ended.Add(1); return 1, nil })
			}
			futures = append(futures, f)
			if i%8 == 0 {
				looking.Go(func() { f.Wait(runtimetest.Within(t)) })
			}
			if i == round%40 {
				looking.Go(func() { outer.Cancel(nil); close(canceled) })
			}
		}
		<-canceled
		s.Wait(runtimetest.Within(t))
		outer.Wait(runtimetest.Within(t))
		if b, e := began.Load(), ended.Load(); b != e {
			t.Fatalf("round %d: Wait returned while %d of %d ran", round, b-e, b)
		}
		at := began.Load()
		for i, f := range futures {
			if _, err := f.Wait(runtimetest.Within(t)); err != nil && !errors.Is(err, freerun.ErrCanceled) && round%7 != 0 {
				t.Fatalf("round %d, future %d: %v", round, i, err)
			}
		}
		looking.Wait()
		if began.Load() != at {
			t.Fatalf("round %d: %d were started after Wait", round, began.Load()-at)
		}
	}
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	if st := rt.Stats(); st.Sent != st.Done {
		t.Errorf("%+v", st)
	}
}
