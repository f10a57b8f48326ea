package freeruntest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// TestSuspendKeepsOrder suspends units for some time, again and again, with messages to one and to
// two of them in between, in virtual time: each message runs in the order of its sender, and none
// before the suspensions are over that were sent before it.
func TestSuspendKeepsOrder(t *testing.T) {
	freeruntest.Explore(t, suspensions(t, func(c *freerun.Context, u *freerun.Unit[diary], f freerun.Future[time.Time]) {
		freerun.Suspend(c, u, f)
	}))
}

// TestSuspendKeepsOrderFinds holds that the exploration of TestSuspendKeepsOrder finds suspensions
// that come late, or never, or end early.
func TestSuspendKeepsOrderFinds(t *testing.T) {
	for name, wrong := range map[string]func(*freerun.Context, *freerun.Unit[diary], freerun.Future[time.Time]){
		"never": func(*freerun.Context, *freerun.Unit[diary], freerun.Future[time.Time]) {},
		"late": func(c *freerun.Context, u *freerun.Unit[diary], f freerun.Future[time.Time]) {
			freerun.Go(c, func(c *freerun.Context) (int, error) { freerun.Suspend(c, u, f); return 0, nil })
		},
		"early": func(c *freerun.Context, u *freerun.Unit[diary], f freerun.Future[time.Time]) {
			freerun.Suspend(c, u, freerun.After(c, time.Millisecond))
		},
	} {
		mustFind(t, name, func(t testing.TB) func(*freerun.Runtime) { return suspensions(t, wrong) })
	}
}

// diary is what ran on a unit: the numbers of the messages.
type diary struct{ ran []int }

// suspensions is the body of TestSuspendKeepsOrder, with a Suspend that may be wrong.
func suspensions(t testing.TB, suspend func(*freerun.Context, *freerun.Unit[diary], freerun.Future[time.Time])) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		c, random := rt.Context(), freeruntest.Random(rt)
		units := [2]*freerun.Unit[diary]{freerun.NewUnit(rt, diary{}), freerun.NewUnit(rt, diary{}, freerun.UnitPriority(freerun.Low))}
		var due [2]time.Time // when the suspensions are over that were sent so far
		var all []freerun.Future[int]
		run := func(d *diary, number int, due time.Time) {
			if rt.Now().Before(due) {
				t.Errorf("message %d ran %v before the suspension was over", number, due.Sub(rt.Now()))
			}
			if n := len(d.ran); n > 0 && d.ran[n-1] >= number {
				t.Errorf("message %d ran after message %d", number, d.ran[n-1])
			}
			d.ran = append(d.ran, number)
		}
		for number := range 30 {
			i := random.IntN(2)
			switch u := units[i]; random.IntN(4) {
			case 0:
				d := time.Duration(2+random.IntN(5)) * time.Millisecond
				suspend(c, u, freerun.After(c, d))
				if at := rt.Now().Add(d); at.After(due[i]) {
					due[i] = at
				}
			case 1:
				until := due[0]
				if due[1].After(until) {
					until = due[1]
				}
				due = [2]time.Time{until, until}
				all = append(all, freerun.When2(c, units[0], units[1], func(_ *freerun.Context, a, b *diary) (int, error) {
					run(a, number, until)
					run(b, number, until)
					return 0, nil
				}))
			case 2:
				freerun.After(c, time.Duration(random.IntN(3))*time.Millisecond).Wait(t.Context())
			default:
				until := due[i]
				all = append(all, freerun.Do(c, u, func(_ *freerun.Context, d *diary) (int, error) { run(d, number, until); return 0, nil }))
			}
		}
		for _, f := range all {
			if _, err := f.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if s := rt.SuspendedUnits(); len(s) > 0 && rt.Quiesce(t.Context()) == nil && len(rt.SuspendedUnits()) > 0 {
			t.Errorf("suspended are %v", s)
		}
	}
}

// TestSuspendStalls has a unit lie still for ever: the report of the standstill names it, and what
// it waits for.
func TestSuspendStalls(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		c := rt.Context()
		u := freerun.NewUnit(rt, diary{}, freerun.UnitName("vault"), freerun.OnIdle(time.Hour, func(*freerun.Context, *freerun.Unit[diary], *diary) {}))
		p := freerun.NewPromise[int](c)
		freerun.Suspend(c, u, p.Future())
		_, err := freerun.Do(c, u, func(*freerun.Context, *diary) (int, error) { return 0, nil }).Wait(t.Context())
		if !errors.Is(err, freerun.ErrStalled) {
			t.Fatal(err)
		}
		for _, part := range []string{"on unit vault, a unit that is suspended", "operation freerun.unit.suspend on unit vault waits for the result of operation NewPromise"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in: %v", part, err)
			}
		}
		p.Resolve(1, nil)
	}, freeruntest.Runs(20))
}

// TestOnIdleInVirtualTime tells a unit once that it is idle, a quarter late at most, and again
// after it was used.
func TestOnIdleInVirtualTime(t *testing.T) {
	const d = time.Hour
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		c, random := rt.Context(), freeruntest.Random(rt)
		var used time.Time
		told := 0
		u := freerun.NewUnit(rt, diary{}, freerun.OnIdle(d, func(c *freerun.Context, _ *freerun.Unit[diary], _ *diary) {
			told++
			if been := rt.Now().Sub(used); been < d || been > d+d/4 {
				t.Errorf("told after %v", been)
			}
		}))
		used = rt.Now()
		for rounds := 1; rounds < 10; rounds++ {
			for range random.IntN(5) {
				freerun.After(c, time.Duration(random.Int64N(int64(d*9/10)))).Wait(t.Context())
				freerun.Do(c, u, func(*freerun.Context, *diary) (int, error) { used = rt.Now(); return 0, nil }).Wait(t.Context())
			}
			freerun.After(c, 3*d).Wait(t.Context())
			if told != rounds {
				t.Fatalf("told %d times, not %d", told, rounds)
			}
			freerun.Do(c, u, func(*freerun.Context, *diary) (int, error) { used = rt.Now(); return 0, nil }).Wait(t.Context())
		}
	}, freeruntest.Runs(50))
}

// TestRetireIsExact sends to units that are retired: a message has run on the state that is given
// back, or it fails, and a Retire behind which there is a message fails.
func TestRetireIsExact(t *testing.T) {
	freeruntest.Explore(t, retirements(t, func(c *freerun.Context, u *freerun.Unit[diary]) freerun.Future[diary] { return freerun.Retire(c, u) }))
}

// TestRetireIsExactFinds holds that the exploration of TestRetireIsExact finds a state that is
// taken without the end of the unit, and before it.
func TestRetireIsExactFinds(t *testing.T) {
	take := func(_ *freerun.Context, d *diary) (diary, error) { return *d, nil }
	for name, wrong := range map[string]func(c *freerun.Context, u *freerun.Unit[diary]) freerun.Future[diary]{
		"without the end": func(c *freerun.Context, u *freerun.Unit[diary]) freerun.Future[diary] { return freerun.Do(c, u, take) },
		"in two steps": func(c *freerun.Context, u *freerun.Unit[diary]) freerun.Future[diary] {
			return freerun.Then(c, freerun.Do(c, u, take), func(c *freerun.Context, d diary) (diary, error) {
				freerun.Stop(c, u)
				return d, nil
			})
		},
	} {
		mustFind(t, name, func(t testing.TB) func(*freerun.Runtime) { return retirements(t, wrong) })
	}
}

// retirements is the body of TestRetireIsExact, with a Retire that may be wrong.
func retirements(t testing.TB, retire func(*freerun.Context, *freerun.Unit[diary]) freerun.Future[diary]) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		c, random := rt.Context(), freeruntest.Random(rt)
		u := freerun.NewUnit(rt, diary{})
		senders := []freerun.Priority{freerun.High, freerun.Normal, freerun.Low}
		var all []freerun.Future[int]
		var begun []freerun.Future[struct{}]
		for i := range 3 {
			number, n := i*100, random.IntN(6)
			begun = append(begun, freerun.Go(c.WithPriority(senders[i]), func(c *freerun.Context) (struct{}, error) {
				for k := range n {
					all = append(all, freerun.Do(c, u, func(_ *freerun.Context, d *diary) (int, error) { d.ran = append(d.ran, number+k); return 1, nil }))
				}
				return struct{}{}, nil
			}))
		}
		retired, err := retire(c, u).Wait(t.Context())
		for _, f := range begun {
			f.Wait(t.Context())
		}
		ran := 0
		for _, f := range all {
			n, failed := f.Wait(t.Context())
			ran += n
			if failed != nil && (err != nil || !errors.Is(failed, freerun.ErrStopped)) {
				t.Errorf("a message: %v; the Retire: %v", failed, err)
			}
		}
		switch {
		case err == nil && len(retired.ran) != ran:
			t.Errorf("the state has %d messages, %d have run", len(retired.ran), ran)
		case errors.Is(err, freerun.ErrInUse) && ran != len(all):
			t.Errorf("in use, and %d of %d have run", ran, len(all))
		case err != nil && !errors.Is(err, freerun.ErrInUse):
			t.Error(err)
		}
	}
}
