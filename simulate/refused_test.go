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

// TestFirstModelRefusesForks holds that the first model says that the second one can simulate forks
// and joins, and gives no times.
func TestFirstModelRefusesForks(t *testing.T) {
	for _, processors := range []int{1, 8} {
		r, err := costsOf(t, usual).Run(branches, processors)
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "the second can") || r.Elapsed != 0 {
			t.Errorf("%d processors: %v, %v", processors, r.Elapsed, err)
		}
	}
}

// TestFirstModelRefusesLoops holds the same of For and Reduce, whose times by the second model are
// shorter with more processors, and never shorter than the share of the work.
func TestFirstModelRefusesLoops(t *testing.T) {
	loops := map[string]func(c *freerun.Context) int{
		"For": func(c *freerun.Context) (n int) {
			freerun.For(c, 200, func(*freerun.Context, int) { n++ })
			return n
		},
		"ForRange": func(c *freerun.Context) (n int) {
			freerun.ForRange(c, 200, 1, func(_ *freerun.Context, from, to int) { n += to - from })
			return n
		},
		"Reduce": func(c *freerun.Context) int {
			return freerun.Reduce(c, 200, func(*freerun.Context, int) int { return 1 }, func(a, b int) int { return a + b })
		},
	}
	for name, loop := range loops {
		program := func(on *simulate.Host) (time.Duration, error) {
			rt := on.New()
			defer rt.Close()
			began := rt.Now()
			n, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return loop(c), nil }).Wait(context.Background())
			if err == nil && n != 200 {
				t.Errorf("%s: %d of 200", name, n)
			}
			return rt.Now().Sub(began), err
		}
		for _, processors := range []int{1, 8} {
			if _, err := costsOf(t, usual).Run(program, processors); !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s on %d processors by the first model: %v", name, processors, err)
			}
		}
		alone, many := second(t, costsOf(t, usual), program, 1), second(t, costsOf(t, usual), program, 8)
		if many.Elapsed >= alone.Elapsed || many.Elapsed < alone.Elapsed/8 || sum(alone.Busy) > alone.Elapsed+piece {
			t.Errorf("%s: 8 processors took %v, one %v and was busy for %v", name, many.Elapsed, alone.Elapsed, sum(alone.Busy))
		}
	}
}

// TestProcessorsAreTheHosts holds that a program cannot have more processors than are simulated.
func TestProcessorsAreTheHosts(t *testing.T) {
	program := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New(freerun.Processors(7))
		defer rt.Close()
		began := rt.Now()
		before := rt.Processors()
		rt.Resize(before)
		for _, n := range []int{before + 1, 301} {
			_, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
				c.Runtime().Resize(n)
				return 0, nil
			}).Wait(context.Background())
			if err == nil || !strings.Contains(err.Error(), "are simulated") {
				t.Errorf("Resize from %d to %d processors: %v", before, n, err)
			}
		}
		return rt.Now().Sub(began), nil
	}
	for _, processors := range []int{1, 16} {
		if r := simulated(t, costsOf(t, usual), program, processors); len(r.Busy) != processors {
			t.Errorf("%d processors instead of %d", len(r.Busy), processors)
		}
	}
}

// TestUnusableCosts holds that costs beyond what clocks count are refused, and those that say
// something twice.
func TestUnusableCosts(t *testing.T) {
	one := simulate.Piece{Operation: "any", From: "passing", To: "passing", Cost: 100}
	for says, spoil := range map[string]func(c *simulate.Costs){
		"wake_ns is 1e+300":       func(c *simulate.Costs) { c.Wake = 1e300 },
		"wakeup_ns is +Inf":       func(c *simulate.Costs) { c.Wakeup = math.Inf(1) },
		"transfer_ns is NaN":      func(c *simulate.Costs) { c.Transfer = math.NaN() },
		`"any" costs 9e+18`:       func(c *simulate.Costs) { c.Pieces[0].Cost = 9e18 },
		`"any" costs +Inf`:        func(c *simulate.Costs) { c.Pieces[0].Cost = math.Inf(1) },
		"two pieces of \"any\"":   func(c *simulate.Costs) { c.Pieces = append(c.Pieces, one) },
		`"any" counts -1 times`:   func(c *simulate.Costs) { c.Pieces[0].Count = -1 },
		"must cost more than 0":   func(c *simulate.Costs) { c.Pieces[0].Cost = math.NaN() },
		"bytes_per_cycle is +Inf": func(c *simulate.Costs) { c.Collector.Cycle = math.Inf(1) },
	} {
		c := costsOf(t, usual)
		spoil(c)
		if r, err := c.Run(tree, 2); !errors.Is(err, simulate.ErrCosts) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v, want an ErrCosts that says %q", r.Elapsed, err, says)
		}
	}
}

// negative returns a negative time.
func negative(on *simulate.Host) (time.Duration, error) {
	_, err := tree(on)
	return -5, err
}

// open leaves its runtime open.
func open(on *simulate.Host) (time.Duration, error) {
	rt := on.New()
	began := rt.Now()
	_, err := freerun.Go(rt.Context(), grow(3)).Wait(context.Background())
	return rt.Now().Sub(began) + 1, err
}

// TestRunRefusesMisuse holds that programs are refused whose results mean nothing.
func TestRunRefusesMisuse(t *testing.T) {
	const goroutine = "another goroutine than that which runs the program"
	for name, of := range map[string]struct {
		program func(on *simulate.Host) (time.Duration, error)
		says    string
	}{
		"a negative time": {negative, "it took -5ns"},
		"an open runtime": {open, "has not closed the runtime"},
		"four goroutines that send and wait": {whole(func(rt *freerun.Runtime) {
			done := make(chan struct{})
			for range 4 { // one after another, so that the test does not race itself
				go func() {
					_, _ = freerun.Go(rt.Context(), grow(3)).Wait(context.Background())
					done <- struct{}{}
				}()
				<-done
			}
		}), goroutine},
		"the goroutine of a program that waits for it": {whole(func(rt *freerun.Runtime) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = rt.Quiesce(context.Background())
			}()
			<-done
		}), goroutine},
	} {
		for model := 1; model <= simulate.Models; model++ {
			c := costsOf(t, usual)
			c.Model = model
			if r, err := c.Run(of.program, 2); err == nil || !strings.Contains(err.Error(), of.says) {
				t.Errorf("%s, model %d: %v, %v, want an error that says %q", name, model, r.Elapsed, err, of.says)
			}
		}
	}
}

// TestCalibrateRefusesMisuse holds the same of calibrations.
func TestCalibrateRefusesMisuse(t *testing.T) {
	for says, program := range map[string]func(on *simulate.Host) (time.Duration, error){
		"it took -5ns":               negative,
		"has not closed the runtime": open,
	} {
		if _, err := simulate.Calibrate("misuse", program); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want an error that says %q", err, says)
		}
	}
}

// TestCalibrateTellsItsSpread calibrates a program of which most runs say that they took three
// times as long as the shortest.
func TestCalibrateTellsItsSpread(t *testing.T) {
	runs := 0
	disturbed := func(on *simulate.Host) (time.Duration, error) {
		took, err := tree(on)
		if runs++; !on.Virtual {
			took = 300 * time.Microsecond
			if runs%8 < 2 { // as runs with one and two processors take turns
				took /= 3
			}
		}
		return took, err
	}
	c, err := simulate.Calibrate("disturbed", disturbed)
	if err != nil {
		t.Fatal(err)
	}
	if c.Alone != 100_000 || c.Spread < 1.99 || c.Spread > 2.01 {
		t.Errorf("alone %v, spread %v, want 100000 and 2", c.Alone, c.Spread)
	}
}
