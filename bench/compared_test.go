package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/simulate"
)

// one is a program of one operation.
func one(on *simulate.Host) (time.Duration, error) {
	rt := on.New()
	defer rt.Close()
	began := rt.Now()
	_, err := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, nil }).Wait(context.Background())
	return rt.Now().Sub(began), err
}

// measured returns costs by which each piece takes a second, of a program that took a microsecond.
func measured(t *testing.T) *calibrated {
	c, err := simulate.ReadCosts(strings.NewReader(`{"alone_ns": 1000, "pair_ns": 1000, "pieces": [{"from": "passing", "to": "passing", "ns": 1e9}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return &calibrated{Costs: c}
}

// TestCompare holds that costs by which a simulation takes far longer than the real run are called
// unlike, with both times, and that a wide tolerance lets them pass.
func TestCompare(t *testing.T) {
	c := measured(t)
	err := c.compare(one, Tolerance)
	if !errors.Is(err, ErrUnlike) {
		t.Fatalf("a second for each piece: %v, want an ErrUnlike", err)
	}
	for _, says := range []string{"with 1 of 2 processors", "with 2 of 2 processors", "at most 15% are allowed"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which does not say %q", err, says)
		}
	}
	if len(c.Real) != 2 || c.Real[0].Processors != 1 || c.Real[1].Processors != 2 {
		t.Fatalf("kept %+v", c.Real)
	}
	for _, r := range c.Real {
		if r.Least != 1000 || r.Simulated <= 2*r.Least {
			t.Errorf("kept %+v", r)
		}
	}
	c.Real[0].Least, c.Alone = 500, 2000
	if err := c.compare(one, 1e12); err != nil || c.Real[0].Least != 500 {
		t.Errorf("%v, kept %+v", err, c.Real)
	}
	if c.Pair = 0; !errors.Is(c.compare(one, 1e12), ErrUnlike) {
		t.Error("without a real run on two processors, the costs are like real runs")
	}
}

// TestCompareNeedsAProgram holds that the error of a program is passed on.
func TestCompareNeedsAProgram(t *testing.T) {
	broken := errors.New("broken")
	fails := func(*simulate.Host) (time.Duration, error) { return 0, broken }
	if err := measured(t).compare(fails, 1); !errors.Is(err, broken) || errors.Is(err, ErrUnlike) {
		t.Errorf("a program that fails: %v", err)
	}
}

// TestOneMachine holds that the second program of a calibration takes the machine's costs of the
// first, unless those are assumed.
func TestOneMachine(t *testing.T) {
	first := simulate.Costs{Transfer: 1e6, Wake: 2e6, Wakeup: 3e6, Look: 4e6, Probe: 5e6, Hit: 6e6, Steal: 7e6}
	for _, assumed := range []bool{false, true} {
		first.Assumed = assumed
		s := Simulator{costs: []*calibrated{{Costs: &first}}}
		c, err := s.costsOf("one", 1, one)
		if err != nil {
			t.Fatal(err)
		}
		same := c.Transfer == first.Transfer && c.Wake == first.Wake && c.Wakeup == first.Wakeup &&
			c.Look == first.Look && c.Probe == first.Probe && c.Hit == first.Hit && c.Steal == first.Steal
		if same == assumed {
			t.Errorf("assumed %v: %+v", assumed, c)
		}
	}
}
