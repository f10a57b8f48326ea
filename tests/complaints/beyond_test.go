package complaints_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// The complaints of users of runtimes in other languages. complaints_test.go lists all complaints.

// TestComplaintBlockedWedgesNothing, tokio#4730 and #6353: an operation blocks its processor
// without announcing it (Context.Block). All tasks queued on that processor are run all the same:
// free operations, units, and the one in the slot.
func TestComplaintBlockedWedgesNothing(t *testing.T) {
	const each = 10
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for range 20 {
		runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			var others sync.WaitGroup
			others.Add(3 * each)
			for i := range each {
				freerun.Go(c, func(*freerun.Context) (int, error) { others.Done(); return 0, nil })
				freerun.Go(c.WithPriority(freerun.Idle), func(*freerun.Context) (int, error) { others.Done(); return 0, nil })
				freerun.Do(c, freerun.NewUnit(rt, i), func(*freerun.Context, *int) (int, error) { others.Done(); return 0, nil })
			}
			others.Wait() // blocks
			return 0, nil
		}))
	}
}

// TestComplaintOneTaskAMillisecond, rayon#642: 200% CPU for one task a millisecond, because all
// processors wake and search for each task. Here each task costs few steps: those of the processor
// that is woken, and those of one that looks after it.
func TestComplaintOneTaskAMillisecond(t *testing.T) {
	const tasks, processors = 1000, 8
	sends := map[string]func(rt *freerun.Runtime, u *freerun.Unit[int]){
		"free operations": func(rt *freerun.Runtime, _ *freerun.Unit[int]) { runtimetest.Tick.Tell(rt.Context(), 1) },
		"a unit":          func(rt *freerun.Runtime, u *freerun.Unit[int]) { runtimetest.AddOne.Tell(rt.Context(), u, 1) },
	}
	for name, send := range sends {
		synctest.Test(t, func(t *testing.T) {
			rt, _ := runtimetest.Start(t, freerun.Processors(processors))
			u := freerun.NewUnit(rt, 0)
			synctest.Wait()
			before := total(rt)
			for range tasks {
				send(rt, u)
				// A sleep by the bubble's clock: it ends when all processors sleep.
				time.Sleep(time.Millisecond)
			}
			synctest.Wait()
			did := total(rt)
			did.Messages, did.Searches, did.Parks, did.Wakes = did.Messages-before.Messages, did.Searches-before.Searches, did.Parks-before.Parks, did.Wakes-before.Wakes
			t.Logf("%s: %+v", name, did)
			if did.Messages != tasks {
				t.Errorf("%s: %d of %d tasks were run", name, did.Messages, tasks)
			}
			if did.Searches > 3*tasks || did.Parks > 2*tasks || did.Wakes > 2*tasks {
				t.Errorf("%s: %d tasks, one a millisecond, cost %+v", name, tasks, did)
			}
		})
	}
}

// total returns the sum of the figures of all processors.
func total(rt *freerun.Runtime) (all freerun.ProcessorStats) {
	for _, p := range rt.Stats().Processors {
		all.Messages += p.Messages
		all.Searches += p.Searches
		all.Parks += p.Parks
		all.Wakes += p.Wakes
		all.Steals += p.Steals
	}
	return all
}

// TestComplaintDrainEndsWithTheWork, tokio#2314: a shutdown waits until its deadline though the
// work is done. Here the deadline is a day away, and the shutdown takes only as long as the last
// operation sleeps. It does not wait for the timers that are due within that day.
func TestComplaintDrainEndsWithTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = time.Minute
		rt, _ := runtimetest.Start(t, freerun.Processors(3))
		u := freerun.NewUnit(rt, 0)
		freerun.Every(rt.Context(), 2*takes, func(*freerun.Context) error { t.Error("a timer fired"); return nil })
		runtimetest.AddOne.SendAfter(rt.Context(), 2*takes, u, 1)
		slow := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) { c.Block(func() { time.Sleep(takes) }); return 1, nil })
		then := freerun.Then(rt.Context(), slow, func(c *freerun.Context, n int) (int, error) {
			return freerun.Forward(c, runtimetest.AddOne.Send(c, u, n))
		})
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		if err := rt.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != takes {
			t.Errorf("the shutdown took %v of the bubble's time, the work %v", took, takes)
		}
		if n, err := then.Result(); n != 1 || err != nil {
			t.Errorf("the last operation returned %d, %v", n, err)
		}
	})
}

// TestComplaintSeveralUnitsRest, Verona: when(a, b) spins while a unit is held. Here no processor
// runs meanwhile: neither for the messages to several units that wait for the held unit, in
// whatever order they name their units, nor for the messages behind them.
func TestComplaintSeveralUnitsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each = 50
		rt, _ := runtimetest.Start(t, freerun.Processors(4))
		a, b, d := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
		g := runtimetest.NewGate()
		freerun.Do(rt.Context(), b, func(c *freerun.Context, _ *int) (int, error) { c.Block(g.Pass); return 0, nil })
		<-g.Entered
		count2 := func(_ *freerun.Context, x, y *int) (int, error) { *x++; *y++; return 0, nil }
		countAll := func(_ *freerun.Context, all []*int) (int, error) {
			for _, n := range all {
				*n++
			}
			return 0, nil
		}
		for range each {
			freerun.When2(rt.Context(), a, b, count2)
			freerun.When2(rt.Context(), b, a, count2)
			freerun.WhenAll(rt.Context(), []*freerun.Unit[int]{d, a, b}, countAll)
			runtimetest.AddOne.Tell(rt.Context(), a, 1)
			freerun.Read(rt.Context(), b, func(_ *freerun.Context, n *int) (int, error) { return *n, nil })
		}
		checkRests(t, rt, "while a unit is held", func() {})
		close(g.Opened)
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		for i, u := range []*freerun.Unit[int]{a, b, d} {
			if n, want := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)), []int{4, 3, 1}[i]*each; n != want {
				t.Errorf("unit %d counted %d, want %d", i, n, want)
			}
		}
		checkRests(t, rt, "with nothing left to do", func() {})
	})
}

// TestComplaintUnitsShareNoLock, asio#147: strands share 193 mutexes, so that one strand delays
// another. Here many more units than 193 are in their operations at the same time. If any two
// shared a lock, the second would not get there.
func TestComplaintUnitsShareNoLock(t *testing.T) {
	const units = 1000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	var inside sync.WaitGroup
	inside.Add(units)
	var all []freerun.Future[int]
	for i := range units {
		all = append(all, freerun.Do(rt.Context(), freerun.NewUnit(rt, i), func(c *freerun.Context, n *int) (int, error) {
			c.Block(func() {
				inside.Done()
				inside.Wait()
			})
			return *n, nil
		}))
	}
	for i, f := range all {
		if n := runtimetest.Must(t, f); n != i {
			t.Errorf("unit %d returned %d", i, n)
		}
	}
}
