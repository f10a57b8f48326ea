package simulate_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/simulate"
)

// waits is a program that waits for timers, one after another.
func waits(each ...time.Duration) func(on *simulate.Host) (time.Duration, error) {
	return func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		for _, d := range each {
			after := freerun.Then(rt.Context(), freerun.After(rt.Context(), d), func(*freerun.Context, time.Time) (int, error) {
				return 1, nil
			})
			if _, err := after.Wait(context.Background()); err != nil {
				return 0, err
			}
		}
		return rt.Now().Sub(began), nil
	}
}

// TestLongestRun holds that a run beyond the end of virtual time is refused, and that one before it
// has its time.
func TestLongestRun(t *testing.T) {
	const century = 100 * 365 * 24 * time.Hour
	for model := 1; model <= simulate.Models; model++ {
		c := costsOf(t, usual)
		c.Model = model
		for _, p := range [][]time.Duration{{math.MaxInt64}, {century, century, century}} {
			if r, err := c.Run(waits(p...), 2); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "longer than") {
				t.Errorf("model %d, waits of %v: %v, %v", model, p, r.Elapsed, err)
			}
		}
		const day = 24 * time.Hour
		if r, err := c.Run(waits(100*day), 2); err != nil || r.Elapsed < 100*day || r.Elapsed > 100*day+time.Second {
			t.Errorf("model %d, a wait of 100 days: %v, %v", model, r.Elapsed, err)
		}
	}
}

// TestCalibrateWaits holds that Calibrate refuses, before it runs it really, a program that would
// not end, or not soon.
func TestCalibrateWaits(t *testing.T) {
	// What the pieces of the program take counts as no wait, and they are real ones, so the figure
	// of a loaded machine may be some seconds less than the hour.
	if _, err := simulate.Calibrate("an hour", waits(time.Hour)); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "timers for 1h0m0s") && !strings.Contains(err.Error(), "timers for 59m") {
		t.Errorf("a program that waits for an hour: %v", err)
	}
	if _, err := simulate.Calibrate("centuries", waits(math.MaxInt64, math.MaxInt64)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a program that waits for centuries: %v", err)
	}
	_, err := simulate.Calibrate("for ever", func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		_, err := freerun.NewPromise[int](rt.Context()).Future().Wait(context.Background())
		return 1, err
	})
	if !errors.Is(err, simulate.ErrStalled) {
		t.Errorf("a program that waits for what never comes: %v", err)
	}
}
