package simulate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var (
	count = freerun.Op("count", func(_ *freerun.Context, n *int, by int) (int, error) {
		*n += by
		return *n, nil
	})
	countFuture = freerun.Op("count.future", func(_ *freerun.Context, n *int, by freerun.Future[int]) (int, error) {
		*n += by.Value()
		return *n, nil
	})
	nothing = freerun.FreeOp("nothing", func(_ *freerun.Context, n int) (int, error) { return n, nil })
)

// TestRefusedSendsAreForgotten holds that messages that are refused, or end without being run, do
// not change what later messages cost, and that nothing is kept of them.
func TestRefusedSendsAreForgotten(t *testing.T) {
	errGone := errors.New("gone")
	refusals := map[string]func(rt *freerun.Runtime, u *freerun.Unit[int]) error{
		"none": func(*freerun.Runtime, *freerun.Unit[int]) error { return freerun.ErrFull },
		"Send to a full mailbox": func(rt *freerun.Runtime, u *freerun.Unit[int]) error {
			_ = count.Send(rt.Context(), u, 1)
			_, err := count.Send(rt.Context(), u, 1).Wait(context.Background())
			return err
		},
		"Tell to a full mailbox": func(rt *freerun.Runtime, u *freerun.Unit[int]) error {
			_ = count.Send(rt.Context(), u, 1)
			return count.Tell(rt.Context(), u, 1)
		},
		"a canceled Send": func(rt *freerun.Runtime, u *freerun.Unit[int]) error {
			s := rt.Scope(context.Background())
			f := count.Send(s.Context(), u, 1)
			s.Cancel(nil)
			_, err := f.Wait(context.Background())
			return err
		},
		"a canceled Tell": func(rt *freerun.Runtime, u *freerun.Unit[int]) error {
			s := rt.Scope(context.Background())
			err := count.Tell(s.Context(), u, 1)
			s.Cancel(nil)
			return errors.Join(err, freerun.ErrCanceled)
		},
		"a canceled free operation": func(rt *freerun.Runtime, _ *freerun.Unit[int]) error {
			s := rt.Scope(context.Background())
			f := nothing.Send(s.Context(), 1)
			s.Cancel(nil)
			_, err := f.Wait(context.Background())
			return err
		},
		"a canceled free operation without a future": func(rt *freerun.Runtime, _ *freerun.Unit[int]) error {
			s := rt.Scope(context.Background())
			err := nothing.Tell(s.Context(), 1)
			s.Cancel(nil)
			return errors.Join(err, freerun.ErrCanceled)
		},
		"a free operation that waits for itself": func(rt *freerun.Runtime, u *freerun.Unit[int]) error {
			p := freerun.NewPromise[freerun.Future[int]](rt.Context())
			f := freerun.Then(rt.Context(), p.Future(), func(_ *freerun.Context, f freerun.Future[int]) (int, error) { return f.Value(), nil })
			p.Resolve(f, nil)
			_, err := f.Wait(context.Background())
			return err
		},
		"a canceled activity": func(rt *freerun.Runtime, _ *freerun.Unit[int]) error {
			s := rt.Scope(context.Background())
			a := activity.Go(s, func(*activity.Activity) {})
			s.Cancel(nil)
			return errors.Join(a.Wait(context.Background()), freerun.ErrCanceled)
		},
		"an activity that is resumed": func(rt *freerun.Runtime, _ *freerun.Unit[int]) error {
			a := activity.Go(rt, func(a *activity.Activity) { _ = a.Sleep(time.Microsecond) })
			return errors.Join(a.Wait(context.Background()), freerun.ErrCanceled)
		},
		"a Call that is given up": func(rt *freerun.Runtime, u *freerun.Unit[int]) error {
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(nil)
			_, err := count.Call(ctx, u, 1)
			return err
		},
		"a future that fails": func(rt *freerun.Runtime, u *freerun.Unit[int]) error {
			p := freerun.NewPromise[int](rt.Context())
			f := countFuture.Send(rt.Context(), u, p.Future())
			err := countFuture.Tell(rt.Context(), u, p.Future())
			p.Resolve(0, errGone)
			_, failed := f.Wait(context.Background())
			return errors.Join(err, failed)
		},
	}
	elapsed := func(name string) time.Duration {
		c := &Costs{Model: 2, Transfer: 60, Wake: 1000, Wakeup: 5000, Look: 80, Pieces: []Piece{{From: "passing", To: "passing", Cost: 100}}}
		m := newMachine(c, 1)
		r, err := c.run(func(on *Host) (time.Duration, error) {
			rt := on.New()
			defer rt.Close()
			u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(1, freerun.Reject))
			calls := func() error {
				for range 20 {
					if _, err := count.Send(rt.Context(), u, 1).Wait(context.Background()); err != nil {
						return err
					}
				}
				_, err := freerun.Go(rt.Context(), func(c *freerun.Context) (n int, err error) {
					for range 20 {
						err = errors.Join(err, nothing.Tell(c, 1))
					}
					return n, err
				}).Wait(context.Background())
				return errors.Join(err, rt.Quiesce(context.Background()))
			}
			if err := calls(); err != nil {
				return 0, err
			}
			if err := refusals[name](rt, u); err == nil {
				return 0, errors.New(name + ": nothing is refused")
			}
			if err := rt.Quiesce(context.Background()); err != nil {
				return 0, err
			}
			if err := calls(); err != nil {
				return 0, err
			}
			began := rt.Now()
			err := calls()
			return rt.Now().Sub(began), err
		}, m)
		if err != nil || len(m.notes) > 0 {
			t.Errorf("%s: %v, and %d messages are noted", name, err, len(m.notes))
		}
		return r.Elapsed
	}
	want := elapsed("none")
	for name := range refusals {
		if got := elapsed(name); got != want {
			t.Errorf("%s: %v afterwards, %v without", name, got, want)
		}
	}
}
