package simulate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/simulate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// costsOf returns costs by which each piece takes 100 ns.
func costsOf(t testing.TB, machine string) *simulate.Costs {
	t.Helper()
	c, err := simulate.ReadCosts(strings.NewReader(`{` + machine + `"pieces": [{"operation": "any", "from": "passing", "to": "passing", "ns": 100}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	piece = 100 * time.Nanosecond
	free  = ``
	usual = `"transfer_ns": 60, "wake_ns": 1000, "wakeup_ns": 5000, "look_ns": 80, "probe_ns": 60, "steal_ns": 180, `
)

// whole returns a program that is measured from its first message until nothing is left.
func whole(body func(rt *freerun.Runtime)) func(on *simulate.Host) (time.Duration, error) {
	return func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		body(rt)
		err := rt.Quiesce(context.Background())
		return rt.Now().Sub(began), err
	}
}

// grow returns a tree: each node sends two messages, down to the leaves.
func grow(depth int) func(c *freerun.Context) (int, error) {
	return func(c *freerun.Context) (int, error) {
		if depth == 0 {
			return 1, nil
		}
		x, y := freerun.Go(c, grow(depth-1)), freerun.Go(c, grow(depth-1))
		return freerun.Forward(c, freerun.Then2(c, x, y, func(_ *freerun.Context, x, y int) (int, error) { return x + y, nil }))
	}
}

// tree is measured until its root is known; processors that are still waking up by then do not
// count.
func tree(on *simulate.Host) (time.Duration, error) {
	rt := on.New()
	defer rt.Close()
	began := rt.Now()
	leaves, err := freerun.Go(rt.Context(), grow(9)).Wait(context.Background())
	if err == nil && leaves != 1<<9 {
		err = fmt.Errorf("%d leaves", leaves)
	}
	return rt.Now().Sub(began), err
}

func simulated(t testing.TB, c *simulate.Costs, p func(on *simulate.Host) (time.Duration, error), processors int) simulate.Result {
	t.Helper()
	r, err := c.Run(p, processors)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Busy) != processors || len(r.Stats.Processors) != processors {
		t.Fatalf("%d processors are %d and %d", processors, len(r.Busy), len(r.Stats.Processors))
	}
	return r
}

func sum(all []time.Duration) (total time.Duration) {
	for _, x := range all {
		total += x
	}
	return total
}

// TestSameCostsSameRun holds that a simulation follows from its costs.
func TestSameCostsSameRun(t *testing.T) {
	for _, processors := range []int{1, 3, 32} {
		c := costsOf(t, usual)
		if once, again := simulated(t, c, tree, processors), simulated(t, c, tree, processors); !reflect.DeepEqual(once, again) {
			t.Errorf("%d processors: %+v and %+v", processors, once, again)
		}
	}
}

// TestTreeSpeedsUp holds that more processors are faster, and never by more than their number.
func TestTreeSpeedsUp(t *testing.T) {
	c := costsOf(t, usual)
	alone := simulated(t, c, tree, 1)
	before := alone.Elapsed + 1
	for _, processors := range []int{1, 2, 4, 8} {
		r := simulated(t, c, tree, processors)
		if r.Elapsed >= before {
			t.Errorf("%d processors took %v, and half as many %v", processors, r.Elapsed, before)
		}
		if least := alone.Elapsed / time.Duration(processors); r.Elapsed < least {
			t.Errorf("%d processors took %v, less than their share %v of the work", processors, r.Elapsed, least)
		}
		before = r.Elapsed
	}
}

// TestWorkIsConserved has costs by which all that only several processors do costs nothing. Then
// all processors together are busy as long as one alone, apart from the pieces in which a processor
// takes up a task.
func TestWorkIsConserved(t *testing.T) {
	c := costsOf(t, free)
	alone := simulated(t, c, tree, 1)
	for _, processors := range []int{2, 8, 64} {
		r := simulated(t, c, tree, processors)
		if r.Stats.Done != alone.Stats.Done || r.Stats.Sent != r.Stats.Done {
			t.Errorf("%d processors have done %d of %d messages, one alone %d", processors, r.Stats.Done, r.Stats.Sent, alone.Stats.Done)
		}
		if one, all := sum(alone.Busy), sum(r.Busy); all > one+one/50 || all < one-one/10 {
			t.Errorf("%d processors were busy for %v, one alone for %v", processors, all, one)
		}
		if n := len(r.Busy); sum(r.Busy)+sum(r.Searching) > time.Duration(n)*(r.Elapsed+time.Microsecond) {
			t.Errorf("%d processors were busy and searching for %v of %v", n, sum(r.Busy)+sum(r.Searching), r.Elapsed)
		}
	}
}

// hot sends many messages to one unit from many, and checks that no two of them overlap in time.
func hot(t *testing.T, senders, each int) func(on *simulate.Host) (time.Duration, error) {
	return func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		type state struct {
			ran  int
			last time.Time
		}
		u := freerun.NewUnit(rt, state{})
		for range senders {
			freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
				for range each {
					freerun.Do(c, u, func(_ *freerun.Context, s *state) (int, error) {
						now := rt.Now()
						if s.ran++; s.ran > 1 && now.Sub(s.last) < piece {
							t.Errorf("message %d began %v after the one before it, which takes %v", s.ran, now.Sub(s.last), piece)
						}
						s.last = now
						return 0, nil
					})
				}
				return 0, nil
			})
		}
		err := rt.Quiesce(context.Background())
		return rt.Now().Sub(began), err
	}
}

// TestHotUnit holds that the messages of one unit run one after another on any number of
// processors, and that contended lines make them no faster.
func TestHotUnit(t *testing.T) {
	const senders, each = 16, 50
	c := costsOf(t, usual)
	for _, processors := range []int{1, 2, 8, 32} {
		r := simulated(t, c, hot(t, senders, each), processors)
		// each message runs, and a piece follows it
		if least := senders * each * 2 * piece; r.Elapsed < least {
			t.Errorf("%d processors took %v for what one does after another in %v", processors, r.Elapsed, least)
		}
	}
	costly := costsOf(t, strings.Replace(usual, `"transfer_ns": 60`, `"transfer_ns": 600`, 1))
	cheap, dear := simulated(t, c, hot(t, senders, each), 8), simulated(t, costly, hot(t, senders, each), 8)
	if sum(dear.Waiting) <= sum(cheap.Waiting) || dear.Elapsed <= cheap.Elapsed {
		t.Errorf("with lines that take ten times as long, %v instead of %v", dear.Elapsed, cheap.Elapsed)
	}
}

// TestChain holds that a message that waits for a future does not begin before its outcome, on any
// processor.
func TestChain(t *testing.T) {
	const length = 200
	chain := whole(func(rt *freerun.Runtime) {
		f := freerun.Resolved(0)
		for range length {
			f = freerun.Then(rt.Context(), f, func(_ *freerun.Context, n int) (int, error) { return n + 1, nil })
		}
	})
	for _, processors := range []int{1, 8} {
		if r := simulated(t, costsOf(t, free), chain, processors); r.Elapsed < length*piece {
			t.Errorf("%d processors took %v for %d operations of %v, each of which waits for the one before it", processors, r.Elapsed, length, piece)
		}
	}
}

// TestLateWakeup holds that a sleeping processor helps after the time of a wake-up.
func TestLateWakeup(t *testing.T) {
	soon, late := costsOf(t, free), costsOf(t, `"wakeup_ns": 1e9, `)
	if r := simulated(t, soon, tree, 4); r.Stats.Processors[3].Messages == 0 {
		t.Errorf("processors that wake up at once did not help: %+v", r.Stats)
	}
	alone, r := simulated(t, late, tree, 1), simulated(t, late, tree, 4)
	awake := 0
	for _, p := range r.Stats.Processors {
		if p.Messages > 0 {
			awake++
		}
	}
	if awake == 4 || r.Elapsed > alone.Elapsed {
		t.Errorf("%d processors worked, for %v; one alone took %v, and to wake another a second", awake, r.Elapsed, alone.Elapsed)
	}
}

// TestActivitiesSleep holds that time passes when nothing is left to run, and that activities run
// beside each other.
func TestActivitiesSleep(t *testing.T) {
	nap := whole(func(rt *freerun.Runtime) {
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				for range 5 {
					a.Yield()
				}
				a.Sleep(time.Second)
			})
		}
	})
	if r := simulated(t, costsOf(t, usual), nap, 2); r.Elapsed < time.Second || r.Elapsed > time.Second+time.Millisecond {
		t.Errorf("three that slept for a second took %v", r.Elapsed)
	}
}

// TestCalibrate holds that what is measured can be written, read, and used.
func TestCalibrate(t *testing.T) {
	c, err := simulate.Calibrate("a tree", tree)
	if err != nil {
		t.Fatal(err)
	}
	if c.Program != "a tree" || c.Alone <= 0 {
		t.Errorf("%+v", c)
	}
	var text strings.Builder
	if err := json.NewEncoder(&text).Encode(c); err != nil {
		t.Fatal(err)
	}
	again, err := simulate.ReadCosts(strings.NewReader(text.String()))
	if err != nil || !reflect.DeepEqual(c, again) {
		t.Fatalf("%v: wrote %+v, and read %+v", err, c, again)
	}
	if a, b := simulated(t, c, tree, 5), simulated(t, again, tree, 5); !reflect.DeepEqual(a, b) {
		t.Errorf("as measured %+v, as read %+v", a, b)
	}
}

func TestBadCosts(t *testing.T) {
	for _, of := range []struct{ text, says string }{
		{`no JSON`, "invalid character"},
		{`{}`, "no pieces"},
		{`{"pieces": [{"operation": "a", "from": "begun", "to": "ending", "ns": 0}]}`, `a piece of "a" costs 0`},
		{`{"pieces": [{"operation": "a", "from": "start", "to": "ending", "ns": 1}]}`, `"start" is no edge`},
		{`{"wake_ns": -1, "pieces": [{"operation": "a", "from": "begun", "to": "ending", "ns": 1}]}`, "wake_ns is -1"},
	} {
		if _, err := simulate.ReadCosts(strings.NewReader(of.text)); !errors.Is(err, simulate.ErrCosts) || !strings.Contains(err.Error(), of.says) {
			t.Errorf("%s: %v, want an ErrCosts that says %q", of.text, err, of.says)
		}
	}
}

func TestBadPrograms(t *testing.T) {
	c := costsOf(t, free)
	for _, processors := range []int{0, -1, 1025} {
		if _, err := c.Run(tree, processors); err == nil || !strings.Contains(err.Error(), "from 1 to 1024") {
			t.Errorf("%d processors: %v", processors, err)
		}
	}
	if _, err := c.Run(func(*simulate.Host) (time.Duration, error) { return 0, nil }, 1); err == nil || !strings.Contains(err.Error(), "no runtime") {
		t.Errorf("a program without a runtime: %v", err)
	}
	stalls := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		activity.Go(rt, func(a *activity.Activity) {
			s := activity.NewSemaphore(1)
			s.Acquire(a, 1)
			s.Acquire(a, 1)
		})
		err := rt.Quiesce(context.Background())
		return 0, err
	}
	if _, err := c.Run(stalls, 2); !errors.Is(err, simulate.ErrStalled) {
		t.Errorf("a program that waits in vain: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("two runtimes in one run")
		}
	}()
	c.Run(func(on *simulate.Host) (time.Duration, error) {
		defer on.New().Close()
		on.New()
		return 0, nil
	}, 1)
}

// TestCalibrateNeedsAProgram holds that the error of a program is passed on, and that one is
// refused that runs no operation, or takes no time.
func TestCalibrateNeedsAProgram(t *testing.T) {
	broken := errors.New("broken")
	if _, err := simulate.Calibrate("none", func(*simulate.Host) (time.Duration, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("a program that fails: %v", err)
	}
	if _, err := simulate.Calibrate("none", func(*simulate.Host) (time.Duration, error) { return 0, nil }); err == nil || !strings.Contains(err.Error(), "no operation") {
		t.Errorf("a program without an operation: %v", err)
	}
	none := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		_, err := freerun.Go(rt.Context(), grow(3)).Wait(context.Background())
		return 0, err
	}
	if _, err := simulate.Calibrate("none", none); err == nil || !strings.Contains(err.Error(), "took 0s") {
		t.Errorf("a program that takes no time: %v", err)
	}
}
