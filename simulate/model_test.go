package simulate_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/simulate"
)

// second runs a program by the second model.
func second(t testing.TB, c *simulate.Costs, p func(on *simulate.Host) (time.Duration, error), processors int) simulate.Result {
	t.Helper()
	by := *c
	by.Model = 2
	r, err := by.Run(p, processors)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const collecting = usual + `"hit_ns": 1, "collector": {"bytes_per_operation": 200, "ns_per_byte": 0.1, "bytes_per_cycle": 10000, "stop_ns": 3000, "share": 0.1}, `

// TestSecondModelSameRun holds that a simulation by the second model follows from its costs, and
// runs the same operations as one by the first, where that can simulate the program.
func TestSecondModelSameRun(t *testing.T) {
	c := costsOf(t, collecting)
	for _, p := range []func(on *simulate.Host) (time.Duration, error){tree, branches} {
		for _, processors := range []int{1, 3, 32} {
			once, again := second(t, c, p, processors), second(t, c, p, processors)
			if !reflect.DeepEqual(once, again) {
				t.Errorf("%d processors: %+v and %+v", processors, once, again)
			}
			r, err := c.Run(p, processors)
			if errors.Is(err, errors.ErrUnsupported) { // it forks
				r, err = second(t, c, p, 1), nil
			}
			if err != nil || r.Stats.Done != once.Stats.Done {
				t.Errorf("%d processors: %d operations by the second model, %d by the first, %v", processors, once.Stats.Done, r.Stats.Done, err)
			}
		}
	}
}

// TestNoSuchModel holds that other models are refused.
func TestNoSuchModel(t *testing.T) {
	for _, model := range []int{-1, 3} {
		c := costsOf(t, free)
		c.Model = model
		if _, err := c.Run(tree, 1); !errors.Is(err, simulate.ErrCosts) || !strings.Contains(err.Error(), "must be 1 or 2") {
			t.Errorf("model %d: %v", model, err)
		}
	}
}

// TestCollector counts what the collector takes of one processor: its time for each allocated byte,
// and a stop each so many bytes.
func TestCollector(t *testing.T) {
	const (
		share   = 0.1
		marking = 20   // ns an operation
		cycle   = 50   // operations
		stop    = 3000 // ns
	)
	without := second(t, costsOf(t, usual), tree, 1)
	with := second(t, costsOf(t, collecting), tree, 1)
	n := with.Stats.Done
	want := (1-share)*float64(without.Elapsed) + float64(n*marking+n/cycle*stop)
	if got := float64(with.Elapsed); got < 0.99*want || got > 1.01*want {
		t.Errorf("%d operations took %v, want %v", n, with.Elapsed, time.Duration(want))
	}
	// all are stopped, so more processors gain less
	if a, b := second(t, costsOf(t, usual), tree, 8), second(t, costsOf(t, collecting), tree, 8); float64(with.Elapsed)/float64(b.Elapsed) >= float64(without.Elapsed)/float64(a.Elapsed) {
		t.Errorf("8 processors took %v of %v with a collector, %v of %v without", b.Elapsed, with.Elapsed, a.Elapsed, without.Elapsed)
	}
	for _, wrong := range []string{`"stop_ns": 3000`, `"share": 0.1`} {
		name, _, _ := strings.Cut(wrong, ":")
		text := strings.Replace(collecting, wrong, name+": -1", 1)
		if _, err := simulate.ReadCosts(strings.NewReader(`{` + text + `"pieces": [{"operation": "any", "from": "passing", "to": "passing", "ns": 100}]}`)); !errors.Is(err, simulate.ErrCosts) {
			t.Errorf("%s of -1: %v", name, err)
		}
	}
}

// TestSharedWords holds that what all processors write costs more the more of them come and go.
func TestSharedWords(t *testing.T) {
	costly := strings.NewReplacer(`"transfer_ns": 60`, `"transfer_ns": 600`)
	cheap, dear := costsOf(t, usual), costsOf(t, costly.Replace(usual))
	for _, processors := range []int{2, 16} {
		a, b := second(t, cheap, tree, processors), second(t, dear, tree, processors)
		if sum(b.Waiting) <= sum(a.Waiting) || b.Elapsed <= a.Elapsed {
			t.Errorf("%d processors: with lines that take ten times as long, %v instead of %v", processors, b.Elapsed, a.Elapsed)
		}
	}
}

var leaves = freerun.NewForkFunc[int, int](nil)

var _ = freerun.Define(leaves, func(c *freerun.Context, depth int) int {
	if depth == 0 {
		return 1
	}
	x, y := leaves.Join(c, depth-1, depth-1)
	return x + y
})

// branches is a tree of forks: half of them of a declared function, half of closures.
func branches(on *simulate.Host) (time.Duration, error) {
	rt := on.New()
	defer rt.Close()
	began := rt.Now()
	n, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		x, y := freerun.Join(c,
			func(c *freerun.Context) int { return leaves.Run(c, 9) },
			func(c *freerun.Context) int { return leaves.Run(c, 9) })
		return x + y, nil
	}).Wait(context.Background())
	if err == nil && n != 1<<10 {
		err = errors.New("branches are lost")
	}
	return rt.Now().Sub(began), err
}

// TestForksSpeedUp holds that other processors come in between forks, and that all of them work.
func TestForksSpeedUp(t *testing.T) {
	c := costsOf(t, usual)
	alone := second(t, c, branches, 1)
	before := alone.Elapsed + 1
	for _, processors := range []int{1, 2, 4} {
		r := second(t, c, branches, processors)
		if r.Elapsed >= before {
			t.Errorf("%d processors took %v, and half as many %v", processors, r.Elapsed, before)
		}
		if least := alone.Elapsed / time.Duration(processors); r.Elapsed < least {
			t.Errorf("%d processors took %v, less than their share %v", processors, r.Elapsed, least)
		}
		for i, busy := range r.Busy {
			if busy == 0 {
				t.Errorf("of %d processors, number %d did nothing", processors, i)
			}
		}
		before = r.Elapsed
	}
}

// TestForksPanic holds that the panic of a branch comes out of the join, on any number of
// processors.
func TestForksPanic(t *testing.T) {
	program := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		_, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			x, y := freerun.Join(c,
				func(c *freerun.Context) int { return leaves.Run(c, 7) },
				func(*freerun.Context) int { panic("broken") })
			return x + y, nil
		}).Wait(context.Background())
		var broken *freerun.PanicError
		if !errors.As(err, &broken) {
			return 0, errors.New("no panic")
		}
		return rt.Now().Sub(time.Time{}), nil
	}
	for _, processors := range []int{1, 4} {
		second(t, costsOf(t, usual), program, processors)
	}
}

// TestCalibrateForks holds that forks are pieces of their own, and that the costs can be used.
func TestCalibrateForks(t *testing.T) {
	c, err := simulate.Calibrate("branches", branches)
	if err != nil {
		t.Fatal(err)
	}
	forks := 0
	for _, p := range c.Pieces {
		if p.From == "forking" && p.To == "forking" {
			forks += p.Count
		}
	}
	if forks < 1<<10 {
		t.Errorf("%d pieces between forks: %+v", forks, c.Pieces)
	}
	second(t, c, branches, 3)
}
