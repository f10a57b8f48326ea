package simulate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/simulate"
)

// TestDeadlinesAreRefused holds that each wait with a deadline, which is in real time, makes a
// simulation an error that says so, whatever the program does with the error of the wait.
func TestDeadlinesAreRefused(t *testing.T) {
	waits := map[string]func(ctx context.Context, on *simulate.Host, rt *freerun.Runtime){
		"Future.Wait": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			_, _ = freerun.Go(rt.Context(), grow(2)).Wait(ctx)
		},
		"Call": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			_, _ = count.Call(ctx, freerun.NewUnit(rt, 0), 1)
		},
		"Call for room": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(1, freerun.WaitForRoom))
			_ = count.Tell(rt.Context(), u, 1)
			_, _ = count.Call(ctx, u, 1)
		},
		"Quiesce": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) { _ = rt.Quiesce(ctx) },
		"Shutdown": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			_ = count.Tell(rt.Context(), freerun.NewUnit(rt, 0), 1)
			_ = rt.Shutdown(ctx)
		},
		"Scope.Wait": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			_ = rt.Scope(context.Background()).Wait(ctx)
		},
		"Runtime.Scope": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			rt.Scope(ctx).Cancel(nil)
		},
		"Activity.Wait": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			_ = activity.Go(rt, func(*activity.Activity) {}).Wait(ctx)
		},
		"a wait of an activity": func(ctx context.Context, _ *simulate.Host, rt *freerun.Runtime) {
			_ = activity.Go(rt, func(*activity.Activity) {
				s := activity.NewSemaphore(1)
				_ = s.Acquire(ctx, 1)
				_ = s.Acquire(ctx, 1)
			}).Wait(context.Background())
		},
		"a wait of a goroutine of Host.Go": func(ctx context.Context, on *simulate.Host, rt *freerun.Runtime) {
			on.Go(func() { _, _ = freerun.Go(rt.Context(), grow(2)).Wait(ctx) })()
		},
	}
	for name, wait := range waits {
		for model := 1; model <= simulate.Models; model++ {
			if model == 1 && strings.Contains(name, "Host.Go") {
				continue
			}
			c := costsOf(t, usual)
			c.Model = model
			r, err := c.Run(func(on *simulate.Host) (time.Duration, error) {
				rt := on.New()
				defer rt.Close()
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				began := rt.Now()
				wait(ctx, on, rt)
				return rt.Now().Sub(began), nil
			}, 2)
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "deadline") || r.Elapsed != 0 {
				t.Errorf("%s, model %d: %v, %v", name, model, r.Elapsed, err)
			}
		}
	}
}

// TestTimerEndsWait holds that a timer of the runtime may end a wait instead, at its virtual time.
func TestTimerEndsWait(t *testing.T) {
	const limit = 50 * time.Microsecond
	for model := 1; model <= simulate.Models; model++ {
		c := costsOf(t, usual)
		c.Model = model
		r, err := c.Run(func(on *simulate.Host) (time.Duration, error) {
			rt := on.New()
			defer rt.Close()
			ctx, cancel := context.WithCancel(context.Background())
			began := rt.Now()
			u := freerun.NewUnit(rt, 0, freerun.UnitPriority(freerun.High))
			noteTime.SendAfter(rt.Context(), limit, u, cancel)
			_, err := freerun.Go(rt.Context(), grow(13)).Wait(ctx)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("model %d: %v", model, err)
			}
			return rt.Now().Sub(began), nil
		}, 2)
		if err != nil || r.Elapsed < limit || r.Elapsed > limit+20*time.Microsecond {
			t.Errorf("model %d: %v, %v", model, r.Elapsed, err)
		}
	}
}

// TestCalibrateRefusesDeadlines holds the same of calibrations.
func TestCalibrateRefusesDeadlines(t *testing.T) {
	_, err := simulate.Calibrate("deadline", func(on *simulate.Host) (time.Duration, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		_, _ = freerun.Go(rt.Context(), grow(2)).Wait(ctx)
		return rt.Now().Sub(began), nil
	})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
