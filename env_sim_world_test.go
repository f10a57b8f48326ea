package freerun_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/simhost"
)

// around is a world in which each step takes a microsecond, and that crashes at a step.
type around struct {
	*simhost.Drawn
	simhost.Unmoved
	now     time.Duration
	steps   int
	crashAt int
	began   []string
	after   func(d time.Duration, f func())
	crash   func()
}

func newAround(seed uint64, processors, crashAt int) *around {
	w := &around{Drawn: simhost.Draw(rand.New(rand.NewPCG(seed, 2)), seed%2 == 0, processors), crashAt: crashAt}
	w.Log = func(_ int, operation string) { w.began = append(w.began, operation) }
	return w
}

func (w *around) Choose(ready []int) int {
	w.steps++
	w.now += time.Microsecond
	if w.steps == w.crashAt {
		w.crash()
	}
	return w.Drawn.Choose(ready)
}

func (w *around) Surround(after func(d time.Duration, f func()), crash func()) {
	w.after, w.crash = after, crash
}
func (w *around) Now() time.Duration       { return w.now }
func (w *around) Idle(until time.Duration) { w.now = max(w.now, until) }
func (w *around) Refuse(error)             {}

// TestWorld holds that what a world has happen comes while operations run, when nothing is left to
// run, and while the runtime drains.
func TestWorld(t *testing.T) {
	for seed := range uint64(20) {
		w := newAround(seed, 3, 0)
		rt := freerun.New(freerun.Processors(3), simhost.Option[freerun.Option](w))
		c := rt.Context()
		began := -1
		w.after(20*time.Microsecond, func() { began = len(w.began) })
		sums := freerun.NewPromise[int](c)
		w.after(time.Hour, func() { sums.Resolve(1, nil) })
		for range 100 {
			freerun.Go(c, func(c *freerun.Context) (int, error) { return 0, nil })
		}
		if n, err := sums.Future().Wait(t.Context()); n != 1 || err != nil || began <= 0 || began == len(w.began) {
			t.Errorf("seed %d: %d, %v; the first call came after %d of %d operations", seed, n, err, began, len(w.began))
		}
		late := freerun.NewPromise[int](c)
		w.after(time.Hour, func() { late.Resolve(2, nil) })
		if err := rt.Shutdown(t.Context()); err != nil || w.now < 2*time.Hour {
			t.Errorf("seed %d: %v, at %v", seed, err, w.now)
		}
	}
}

// TestWorldCrash holds that a crash at any step ends all waits, that no operation begins after it,
// and that all messages are accounted for.
func TestWorldCrash(t *testing.T) {
	for step := 1; step < 200; step++ {
		w := newAround(uint64(step), 3, step)
		rt := runtimetest.Quiet(t, freerun.Processors(3), simhost.Option[freerun.Option](w))
		c := rt.Context()
		u := freerun.NewUnit(rt, relay{})
		var all []freerun.Future[int]
		for range 30 {
			all = append(all, freerun.Go(c, func(c *freerun.Context) (int, error) {
				f := freerun.Do(c, u, func(*freerun.Context, *relay) (int, error) { return 1, nil })
				return freerun.Forward(c, f)
			}))
		}
		err := rt.Quiesce(context.Background())
		crashed := w.steps >= step
		if stats := rt.Stats(); err == nil && stats.Sent != stats.Done || err != nil && !(crashed && errors.Is(err, freerun.ErrClosed)) {
			t.Errorf("step %d: Quiesce: %v", step, err)
		}
		before := len(w.began)
		if crashed {
			if _, err := freerun.After(c, time.Hour).Wait(context.Background()); !errors.Is(err, freerun.ErrClosed) {
				t.Errorf("step %d: a wait after the crash: %v", step, err)
			}
			if _, err := freerun.Go(c, func(*freerun.Context) (int, error) { return 0, nil }).Wait(context.Background()); !errors.Is(err, freerun.ErrClosed) {
				t.Errorf("step %d: what is sent after the crash: %v", step, err)
			}
			if err := rt.Shutdown(context.Background()); err == nil && rt.Stats().Sent != rt.Stats().Done {
				t.Errorf("step %d: Shutdown after the crash: %v", step, err)
			}
		}
		rt.Close()
		if len(w.began) != before {
			t.Errorf("step %d: %d operations begin after the crash", step, len(w.began)-before)
		}
		for _, f := range all {
			if n, err := f.Result(); n != 1 && !errors.Is(err, freerun.ErrClosed) || errors.Is(err, freerun.ErrWouldBlock) {
				t.Errorf("step %d: %d, %v", step, n, err)
			}
		}
	}
}
