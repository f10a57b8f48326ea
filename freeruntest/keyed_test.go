package freeruntest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// delivery is a job of the explorations: the nth of its key.
type delivery struct{ nth int }

type (
	jobFunc    func(c *freerun.Context, key string, d delivery) error
	submitFunc func(ctx context.Context, key string, d delivery) error
)

// keyedRun submits jobs of three keys, more than the Keyed has room for, from outside and from
// within, and lets idle keys go in between. Each job takes two steps. It returns how often a job
// came out of its order, or between the steps of another one of its key. submit is the Keyed's
// Submit, or what is tried in its place.
func keyedRun(t *testing.T, rt *freerun.Runtime, submit func(run jobFunc) (submitFunc, func(context.Context) error)) (wrong int) {
	ctx := t.Context()
	random := freeruntest.Random(rt)
	next, inside := map[string]int{}, map[string]bool{}
	sent, ran := map[string]int{}, 0
	var submitOne submitFunc
	run := func(c *freerun.Context, key string, d delivery) error {
		if inside[key] || d.nth != next[key] {
			wrong++
		}
		inside[key] = true
		next[key] = d.nth + 1
		// At a send others may go on.
		freerun.Go(c, func(*freerun.Context) (int, error) { return 0, nil })
		inside[key] = false
		ran++
		if key == "a" && d.nth%3 != 0 { // a alone: two submitters have no order
			switch err := submitOne(c, "c", delivery{sent["c"]}); {
			case err == nil:
				sent["c"]++
			case !errors.Is(err, freerun.ErrFull):
				t.Errorf("a job submits: %v", err)
			}
		}
		return nil
	}
	submitOne, wait := submit(run)
	submitted := 0
	for range 15 {
		key := []string{"a", "b"}[random.IntN(2)]
		if err := submitOne(ctx, key, delivery{sent[key]}); err != nil {
			t.Errorf("Submit: %v", err)
		}
		sent[key]++
		submitted++
		if random.IntN(8) == 0 {
			freerun.After(rt.Context(), 3*time.Second).Wait(ctx)
		}
	}
	if err := wait(ctx); err != nil {
		t.Errorf("Wait: %v", err)
	}
	if ran != submitted+sent["c"] {
		t.Errorf("%d jobs ran, of %d", ran, submitted+sent["c"])
	}
	return wrong
}

// TestKeyedKeepsOrder explores a Keyed with little room.
func TestKeyedKeepsOrder(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		wrong := keyedRun(t, rt, func(run jobFunc) (submitFunc, func(context.Context) error) {
			k := freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 4, PerKey: 2}, run)
			return k.Submit, k.Wait
		})
		if wrong > 0 {
			t.Errorf("%d jobs out of order", wrong)
		}
	})
}

// TestKeyedOrderIsTested is the control: without keys, the same jobs come out of order.
func TestKeyedOrderIsTested(t *testing.T) {
	wrong := 0
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		wrong += keyedRun(t, rt, func(run jobFunc) (submitFunc, func(context.Context) error) {
			return func(_ context.Context, key string, d delivery) error {
				freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return 0, run(c, key, d) })
				return nil
			}, rt.Quiesce
		})
	}, freeruntest.Processors(3), freeruntest.Runs(50))
	if wrong == 0 {
		t.Error("no schedule finds that jobs without keys are out of order")
	}
}

// TestKeyedStalls has a Submit wait for room that never comes: a deterministic runtime says so.
func TestKeyedStalls(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		var p *freerun.Promise[struct{}]
		k := freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 1}, func(c *freerun.Context, _ int, _ int) error {
			p = freerun.NewPromise[struct{}](c)
			_, err := freerun.Forward(c, p.Future())
			return err
		})
		if err := k.Submit(t.Context(), 1, 1); err != nil {
			t.Errorf("first: %v", err)
		}
		if err := k.Submit(t.Context(), 1, 1); !errors.Is(err, freerun.ErrStalled) {
			t.Errorf("second: %v", err)
		}
		p.Resolve(struct{}{}, nil)
		if err := k.Wait(t.Context()); err != nil {
			t.Errorf("Wait: %v", err)
		}
	}, freeruntest.Runs(20))
}

// TestKeyedInBubble has a Keyed in a bubble of testing/synctest, and waits of a minute in no time.
func TestKeyedInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(2))
		ran := 0
		k := freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 2}, func(c *freerun.Context, key, _ int) error {
			c.Block(func() { time.Sleep(time.Minute) })
			if key == 0 {
				ran++
			}
			return nil
		})
		for range 10 {
			if err := k.Submit(t.Context(), 0, 0); err != nil {
				t.Error(err)
			}
		}
		if err := k.Wait(t.Context()); err != nil || ran != 10 {
			t.Errorf("%d ran: %v", ran, err)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
}
