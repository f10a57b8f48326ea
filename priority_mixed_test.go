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

// mixed is the state of the units of TestMixedStress, which count their operations.
type mixed struct{ busy, ran int }

// enter records an operation that has the units to itself, and returns the function to call at its
// end.
func enter(t *testing.T, units ...*mixed) (leave func()) {
	for _, m := range units {
		if m.busy++; m.busy != 1 {
			t.Error("two operations of one unit overlap")
		}
		m.ran++
	}
	return func() {
		for _, m := range units {
			m.busy--
		}
	}
}

// TestMixedStress runs operations on one and on two units, and readers, with all priorities, under
// scopes of which some are canceled, with limited mailboxes that mute units, operations that
// block, and panics. Operations that exclude each other do not overlap, and every message is
// accounted for.
func TestMixedStress(t *testing.T) {
	const senders, each = 4, 400
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	units := []*freerun.Unit[mixed]{
		freerun.NewUnit(rt, mixed{}),
		freerun.NewUnit(rt, mixed{}, freerun.MailboxLimit(8, freerun.WaitForRoom)),
		freerun.NewUnit(rt, mixed{}, freerun.UnitPriority(freerun.High), freerun.MailboxLimit(16, freerun.WaitForRoom)),
		freerun.NewUnit(rt, mixed{}, freerun.UnitPriority(freerun.Low)),
	}
	boom := errors.New("boom")
	var all sync.WaitGroup
	var run, okay, failed, canceled atomic.Int64
	for sender := range senders {
		all.Go(func() {
			s := rt.Scope(context.Background())
			defer s.Cancel(nil)
			var futures []freerun.Future[int]
			for n := range each {
				c := s.Context().WithPriority(runtimetest.Priorities[(n/3+sender)%4])
				x, y := units[n%4], units[(n+1+n%3)%4]
				end := func() (int, error) {
					run.Add(1)
					if n%29 == 0 {
						panic(boom)
					}
					return 1, nil
				}
				switch n % 5 {
				case 0:
					futures = append(futures, freerun.When2(c, x, y, func(_ *freerun.Context, a, b *mixed) (int, error) {
						defer enter(t, a, b)()
						return end()
					}))
				case 1:
					futures = append(futures, freerun.Do(c, x, func(c *freerun.Context, a *mixed) (int, error) {
						defer enter(t, a)()
						if n%16 == 1 {
							c.Block(func() { time.Sleep(10 * time.Microsecond) })
						}
						return end()
					}))
				case 2: // a unit that sends to others, and may be muted
					futures = append(futures, freerun.Do(c, x, func(c *freerun.Context, a *mixed) (int, error) {
						defer enter(t, a)()
						for range 3 {
							freerun.Do(c.WithPriority(runtimetest.Priorities[n/4%4]), y, func(_ *freerun.Context, b *mixed) (int, error) {
								defer enter(t, b)()
								return 0, nil
							})
						}
						return end()
					}))
				case 3:
					futures = append(futures, freerun.Read(c, x, func(_ *freerun.Context, a *mixed) (int, error) {
						if a.busy != 0 {
							t.Error("a reader and a writer overlap")
						}
						return end()
					}))
				case 4:
					f, _ := countOp.SendAfter(c, time.Duration(n)*time.Microsecond, new(atomic.Int64))
					futures = append(futures, freerun.Then(c, f, func(*freerun.Context, int) (int, error) { return end() }))
				}
				if sender == 0 && n == each/2 {
					s.Cancel(boom)
				}
			}
			if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, boom) {
				t.Errorf("Wait: %v", err)
			}
			for _, f := range futures {
				var crash *freerun.PanicError
				switch _, err := f.Result(); {
				case err == nil:
					okay.Add(1)
				case errors.As(err, &crash):
					failed.Add(1)
				case errors.Is(err, freerun.ErrCanceled):
					canceled.Add(1)
				default:
					t.Errorf("%v", err)
				}
			}
		})
	}
	all.Wait()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if sum := okay.Load() + failed.Load(); sum != run.Load() || sum+canceled.Load() != senders*each {
		t.Errorf("%d run; %d with a result, %d panicked, %d canceled of %d", run.Load(), okay.Load(), failed.Load(), canceled.Load(), senders*each)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("%+v", s)
	}
}

// TestScopeOfAllForms: operations on several units, inlined operations and operations that block
// belong to the scope of their context.
func TestScopeOfAllForms(t *testing.T) {
	boom := errBoom
	for name, send := range map[string]func(c *freerun.Context, u, v *freerun.Unit[int]){
		"two units": func(c *freerun.Context, u, v *freerun.Unit[int]) {
			freerun.When2(c, u, v, func(*freerun.Context, *int, *int) (int, error) { return 0, boom })
		},
		"small": func(c *freerun.Context, u, v *freerun.Unit[int]) {
			freerun.Go(c, func(c *freerun.Context) (int, error) { scopeSmall.Send(c, boom); return 0, nil })
		},
		"small that panics": func(c *freerun.Context, u, v *freerun.Unit[int]) {
			freerun.Go(c, func(c *freerun.Context) (int, error) { scopeSmall.Send(c, nil); return 0, nil })
		},
		"blocking": func(c *freerun.Context, u, v *freerun.Unit[int]) {
			freerun.Go(c, func(c *freerun.Context) (int, error) {
				c.Block(func() {})
				return freerun.Forward(c, freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { return 0, boom }))
			})
		},
	} {
		rt, _ := runtimetest.Start(t, freerun.Processors(1))
		s := rt.Scope(t.Context())
		u, v := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
		send(s.Context(), u, v)
		if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, boom) {
			t.Errorf("%s: %v", name, err)
		}
		s.Cancel(nil)
		f := freerun.When2(s.Context(), u, v, func(*freerun.Context, *int, *int) (int, error) { return 0, nil })
		if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
			t.Errorf("%s: after Cancel: %v", name, err)
		}
	}
}

var scopeSmall = freerun.SmallOp("scopeSmall", func(_ *freerun.Context, err error) (int, error) {
	if err == nil {
		panic(errBoom)
	}
	return 0, err
})

var errBoom = errors.New("boom")

// TestScopeDeterministic: in a deterministic runtime, Wait of a scope runs all that is queued.
func TestScopeDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		rt := freerun.New(freerun.Deterministic(seed))
		s := rt.Scope(t.Context())
		u := freerun.NewUnit(rt, diary{})
		for _, p := range runtimetest.Priorities {
			note.Tell(s.Context().WithPriority(p), u, "")
			noteNext.Tell(s.Context().WithPriority(p), u)
		}
		if err := s.Wait(runtimetest.Within(t)); err != nil || u.Stats().Operations != 8 {
			t.Errorf("seed %d: %v, %d operations", seed, err, u.Stats().Operations)
		}
		s.Cancel(nil)
		rt.Close()
	}
}
