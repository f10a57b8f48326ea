package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var (
	callFree  = freerun.FreeOp("call.free", func(c *freerun.Context, n int) (int, error) { return n + 1, nil })
	callAll   = freerun.OpAll("call.all", func(_ *freerun.Context, all []*pile, n int) (int, error) { return len(all) + n, nil })
	callScope = freerun.Op("call.scope", func(c *freerun.Context, _ *pile, _ int) (place, error) { return place{c.Scope(), c.Priority()}, nil })
	errCalled = errors.New("as it should")
	callFails = freerun.Op("call.fails", func(_ *freerun.Context, _ *pile, why string) (int, error) {
		if why != "" {
			panic(why)
		}
		return 0, errCalled
	})
)

type place struct {
	scope    *freerun.Scope
	priority freerun.Priority
}

func TestCall(t *testing.T) {
	for name, options := range map[string][]freerun.Option{"": {freerun.Processors(2)}, "deterministic": {freerun.Deterministic(1)}} {
		t.Run(name, func(t *testing.T) {
			rt, _ := runtimetest.Start(t, options...)
			ctx := runtimetest.Within(t)
			u, v, w := freerun.NewUnit(rt, pile{}), freerun.NewUnit(rt, pile{}), freerun.NewUnit(rt, pile{}, freerun.UnitPriority(freerun.High), freerun.MailboxLimit(1, freerun.WaitForRoom))
			f := pileAdd.Send(rt.Context(), u, 4)
			for i, got := range []func() (int, error){
				func() (int, error) { return pileAdd.Call(ctx, u, 0) },
				func() (int, error) { return callFree.Call(ctx, rt, 0) },
				func() (int, error) { return pileLook.Call(ctx, v, 2) },
				func() (int, error) { return pileBoth.Call(ctx, u, v, 3) },
				func() (int, error) { return pileTake.Call(ctx, v, f) },
				func() (int, error) { return pileBoth.Call(ctx, w, u, 5) },
				func() (int, error) { return callAll.Call(ctx, []*freerun.Unit[pile]{u, v, w}, 3) },
				func() (int, error) { return callAll.Call(rt.Context(), nil, 7) },
				func() (int, error) { return pileAdd.Call(ctx, w, 8) },
			} {
				if n, err := got(); n != i || err != nil {
					t.Errorf("%d: %d, %v", i, n, err)
				}
			}
			if _, err := callFails.Call(ctx, u, ""); err != errCalled {
				t.Error(err)
			}
			var crash *freerun.PanicError
			if _, err := callFails.Call(ctx, u, "why"); !errors.As(err, &crash) || crash.Value != "why" {
				t.Error(err)
			}
			if _, err := pileTake.Call(ctx, u, callFails.Send(rt.Context(), u, "")); !errors.Is(err, errCalled) {
				t.Error(err)
			}
			if _, err := pileBoth.Call(ctx, u, u, 1); !errors.Is(err, freerun.ErrSameUnit) {
				t.Error(err)
			}
			type key struct{}
			s := rt.Scope(context.WithValue(ctx, key{}, 1))
			derived, cancel := context.WithTimeout(s.Context().WithPriority(freerun.Low), time.Hour)
			defer cancel()
			if p, err := callScope.Call(derived, u, 1); err != nil || p.scope != s || p.priority != freerun.Low {
				t.Error(p, err)
			}
			if p, err := callScope.Call(ctx, u, 1); err != nil || p.scope != nil || p.priority != freerun.Normal {
				t.Error(p, err)
			}
			s.Cancel(errCalled)
			if _, err := callScope.Call(context.WithoutCancel(derived), u, 1); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, errCalled) {
				t.Error(err)
			}
			if _, err := callScope.Call(derived, u, 1); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			sent := rt.Stats().Sent
			over, end := context.WithCancel(ctx)
			end()
			if _, err := pileAdd.Call(over, u, 1); err != context.Canceled || rt.Stats().Sent != sent {
				t.Error(err)
			}
			if err := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (error, error) {
				sent := rt.Stats().Sent
				_, err := pileAdd.Call(c, u, 1)
				if rt.Stats().Sent != sent {
					t.Error("sent inside an operation")
				}
				return err, nil
			})); err != freerun.ErrWouldBlock {
				t.Error(err)
			}
			if err := rt.Shutdown(ctx); err != nil {
				t.Error(err)
			}
			if _, err := pileAdd.Call(ctx, u, 1); err != freerun.ErrClosed {
				t.Error(err)
			}
		})
	}
}

// TestCallGivesUp: a caller gives up a message that is queued at a busy unit, waits for a future,
// or waits for room. The message never runs. A message that has begun runs to its end.
func TestCallGivesUp(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	u, full := freerun.NewUnit(rt, pile{}), freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(1, freerun.WaitForRoom))
	g, h := runtimetest.NewGate(), runtimetest.NewGate()
	busy := freerun.Do(rt.Context(), u, func(*freerun.Context, *pile) (int, error) { g.Pass(); return 1, nil })
	alsoBusy := freerun.Do(rt.Context(), full, func(*freerun.Context, *pile) (int, error) { h.Pass(); return 1, nil })
	<-g.Entered
	<-h.Entered
	fills := pileAdd.Send(rt.Context(), full, 1)
	s := rt.Scope(context.Background())
	for i, call := range []func(ctx context.Context) (int, error){
		func(ctx context.Context) (int, error) { return pileAdd.Call(ctx, u, 1) },
		func(ctx context.Context) (int, error) { return pileLook.Call(ctx, u, 1) },
		func(ctx context.Context) (int, error) { return pileBoth.Call(ctx, full, u, 1) },
		func(ctx context.Context) (int, error) { return pileTake.Call(ctx, full, busy) },
		func(ctx context.Context) (int, error) { return pileAdd.Call(ctx, full, 1) },
	} {
		for _, base := range []context.Context{t.Context(), rt.Context(), rt.Context().WithPriority(freerun.High), s.Context()} {
			ctx, cancel := context.WithTimeout(base, time.Millisecond)
			if _, err := call(ctx); err != context.DeadlineExceeded {
				t.Errorf("%d: %v", i, err)
			}
			cancel()
		}
	}
	s.Cancel(nil)
	if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the scope: %v", err)
	}
	running := runtimetest.NewGate()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running.Entered; cancel() }()
	if _, err := callGate.Call(ctx, rt, running); err != context.Canceled {
		t.Error(err)
	}
	close(running.Opened)
	close(g.Opened)
	close(h.Opened)
	runtimetest.Must(t, busy)
	runtimetest.Must(t, alsoBusy)
	runtimetest.Must(t, fills)
	for i, x := range []*freerun.Unit[pile]{u, full} {
		if ran := runtimetest.Must(t, freerun.Do(rt.Context(), x, func(_ *freerun.Context, p *pile) (int, error) { return p.ran, nil })); ran != i {
			t.Errorf("unit %d: %d operations ran", i, ran)
		}
	}
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	if st := rt.Stats(); st.Sent != st.Done {
		t.Errorf("%+v", st)
	}
}

var callGate = freerun.FreeOp("call.gate", func(_ *freerun.Context, g *runtimetest.Gate) (int, error) { g.Pass(); return 1, nil })

// TestCallTimesOut: Call returns at the deadline of its context, also while it waits for room. Time
// is that of a synctest bubble.
func TestCallTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(2))
		u := freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(1, freerun.WaitForRoom))
		g := runtimetest.NewGate()
		freerun.Do(rt.Context(), u, func(*freerun.Context, *pile) (int, error) { g.Pass(); return 1, nil })
		<-g.Entered
		pileAdd.Send(rt.Context(), u, 1)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := pileAdd.Call(ctx, u, 1); err != context.DeadlineExceeded || time.Since(began) != 50*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		close(g.Opened)
		if err := rt.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestCallStress: callers give up at any moment, the scopes of some are canceled, and the runtime
// ends at last. A unit's messages run in order: so a message that was given up has run before a
// message that was sent later, or never runs.
func TestCallStress(t *testing.T) {
	for _, last := range []string{"Shutdown", "Close"} {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		units := []*freerun.Unit[pile]{freerun.NewUnit(rt, pile{}), freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(4, freerun.WaitForRoom)), freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(4, freerun.Reject))}
		var wg sync.WaitGroup
		var answered, gaveUp, refused atomic.Int64
		ran := make([]atomic.Int32, 8*500)
		for g := range 8 {
			wg.Go(func() {
				for i := range 500 {
					base := t.Context()
					var s *freerun.Scope
					if g%2 == 0 {
						s = rt.Scope(base)
						base = s.Context()
					}
					ctx, cancel := context.WithCancel(base)
					if i%3 != 0 {
						go func() {
							for range i % 64 {
								runtime.Gosched()
							}
							if s != nil && i%3 == 1 {
								s.Cancel(nil)
							} else {
								cancel()
							}
						}()
					}
					u, id := units[i%3], g*500+i
					_, err := callCount.Call(ctx, u, &ran[id])
					switch {
					case err == nil:
						answered.Add(1)
						if n := ran[id].Load(); n != 1 {
							t.Errorf("answered, and ran %d times", n)
						}
					case errors.Is(err, context.Canceled), errors.Is(err, freerun.ErrCanceled):
						gaveUp.Add(1)
						if _, err := pileAdd.Send(rt.Context(), u, 1).Wait(runtimetest.Within(t)); err == nil {
							if before := ran[id].Swap(-1); before > 1 {
								t.Errorf("ran %d times", before)
							}
						}
					case errors.Is(err, freerun.ErrFull), errors.Is(err, freerun.ErrClosed):
						refused.Add(1)
					default:
						t.Error(err)
					}
					cancel()
					if s != nil {
						s.Cancel(nil)
						if err := s.Wait(runtimetest.Within(t)); err != nil && !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrFull) && !errors.Is(err, freerun.ErrClosed) {
							t.Error(err)
						}
					}
					if last == "Close" && answered.Load() == 500 {
						go rt.Close()
					}
				}
			})
		}
		wg.Wait()
		if last == "Close" {
			rt.Close()
		} else if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		for i := range ran {
			if n := ran[i].Load(); n != -1 && n != 0 && n != 1 {
				t.Errorf("message %d: %d, ran after its caller gave up", i, n)
			}
		}
		if st := rt.Stats(); st.Sent != st.Done {
			t.Errorf("%s: %+v", last, st)
		}
		t.Logf("%s: %d answered, %d given up, %d refused", last, answered.Load(), gaveUp.Load(), refused.Load())
	}
}

var callCount = freerun.Op("call.count", func(_ *freerun.Context, _ *pile, n *atomic.Int32) (int, error) {
	if n.Add(1) <= 0 {
		n.Store(100)
	}
	return 1, nil
})

// TestCallAllocates: a Call allocates its message, and nothing else.
func TestCallAllocates(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := rt.Scope(ctx)
	defer s.Cancel(nil)
	for name, c := range map[string]context.Context{"Background": context.Background(), "with Done": ctx, "of a scope": s.Context()} {
		// 2, not 1: under -race a sync.Pool drops some of its items.
		if n := allocations(func() { runtimetest.AddOne.Call(c, u, 1) }); n > 2 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestScopeAllocates: a scope with one message that is awaited allocates the scope, its context of
// package context, the Context that the message runs with, and the channel of the wait.
func TestScopeAllocates(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	once := func() {
		s := rt.Scope(context.Background())
		runtimetest.Tick.Tell(s.Context(), 1)
		if err := s.Wait(context.Background()); err != nil {
			t.Error(err)
		}
		s.Cancel(nil)
	}
	if n := allocations(once); n > 6 {
		t.Errorf("%v allocations", n)
	}
	const scopes = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range scopes {
		once()
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / scopes; n > 1200 {
		t.Errorf("%d bytes", n)
	}
}

// TestCallGivenUpDropsItsArgument: a message that Call has given up keeps no argument, even before
// its unit comes to it.
func TestCallGivenUpDropsItsArgument(t *testing.T) {
	rt := runtimetest.Quiet(t)
	u, gate := freerun.NewUnit(rt, 0), make(chan struct{})
	defer close(gate)
	entered := make(chan struct{})
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { close(entered); <-gate; return 0, nil })
	<-entered
	guard := runtimetest.Within(t)
	for range 10 {
		collected := make(chan struct{})
		func() {
			ctx, cancel := context.WithCancel(t.Context())
			arg := &bulky{}
			runtime.AddCleanup(arg, func(c chan struct{}) { close(c) }, collected)
			time.AfterFunc(time.Millisecond, cancel)
			if _, err := takeBulky.Call(ctx, u, arg); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}()
		for done := false; !done; {
			runtime.GC()
			select {
			case <-collected:
				done = true
			case <-guard.Done():
				t.Fatal("the argument is still there")
			case <-time.After(time.Millisecond):
			}
		}
	}
}

type bulky struct{ _ [1 << 16]byte }

var takeBulky = freerun.Op("takeBulky", func(_ *freerun.Context, n *int, b *bulky) (int, error) { return *n, nil })
