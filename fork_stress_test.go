package freerun_test

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/simhost"
)

var joinSeed = flag.Uint64("join.seed", 0, "seed of TestJoinStress; 0 draws one")

// plot is a node of a random tree. Its form follows from its seed, so that the tree can be run in
// any way, and checked.
type plot struct {
	seed  uint64
	depth int
}

// draw returns the n-th random number of the node (splitmix64).
func (p plot) draw(n uint64) uint64 {
	x := p.seed + (n+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (p plot) child(i int) plot { return plot{p.draw(100 + uint64(i)), p.depth - 1} }

// shape returns the form of the node, and how many children it has; 0 for a leaf.
func (p plot) shape() (form, children int) {
	if p.depth == 0 || p.draw(0)%9 == 0 {
		return 0, 0
	}
	switch form = int(p.draw(1) % 7); form {
	case 0, 1:
		return form, 2
	case 2:
		return form, 3
	case 6:
		return form, 1
	}
	return form, int(1 + p.draw(2)%5)
}

// explodes reports whether the node, a leaf, panics.
func (p plot) explodes() bool { return p.draw(3)%61 == 0 }

// caught is the result of a node whose child panicked.
const caught = 1000

// expect computes the result of the tree on one goroutine.
func (p plot) expect() (sum int, panics bool) {
	form, n := p.shape()
	if n == 0 {
		return 1, p.explodes()
	}
	for i := range n {
		v, panicked := p.child(i).expect()
		if panicked && form == 6 {
			return caught, false
		}
		sum, panics = sum+v, panics || panicked
	}
	return sum, panics
}

var plotBranch = freerun.NewForkFunc[plot, int](nil)

var _ = freerun.Define(plotBranch, func(c *freerun.Context, p plot) int { return p.run(c) })

func (p plot) run(c *freerun.Context) int {
	form, n := p.shape()
	if n == 0 {
		if p.draw(4)%5 == 0 {
			runtime.Gosched()
		}
		if p.explodes() {
			explode("leaf")
		}
		return 1
	}
	sub := func(i int) func(c *freerun.Context) int {
		return func(c *freerun.Context) int { return p.child(i).run(c) }
	}
	switch form {
	case 0:
		x, y := freerun.Join(c, sub(0), sub(1))
		return x + y
	case 1:
		x, y := plotBranch.Join(c, p.child(0), p.child(1))
		return x + y
	case 2:
		x, y, z := join3(c, sub(0), func(c *freerun.Context) int64 { return int64(sub(1)(c)) }, sub(2))
		return x + int(y) + z
	case 3:
		var sum atomic.Int64
		freerun.For(c, n, func(c *freerun.Context, i int) { sum.Add(int64(sub(i)(c))) })
		return int(sum.Load())
	case 4:
		var sum atomic.Int64
		freerun.ForRange(c, n, 2, func(c *freerun.Context, from, to int) {
			for i := from; i < to; i++ {
				sum.Add(int64(sub(i)(c)))
			}
		})
		return int(sum.Load())
	case 5:
		return freerun.Reduce(c, n, func(c *freerun.Context, i int) int { return sub(i)(c) }, func(a, b int) int { return a + b })
	}
	sum := 0
	if panicOf(func() { sum = sub(0)(c) }) != nil {
		return caught
	}
	return sum
}

// TestJoinStress runs random trees of all forms, several at a time, with panics here and there.
func TestJoinStress(t *testing.T) {
	seed := *joinSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with: go test -run '^%s$' -join.seed %d", t.Name(), seed)
	const trees, depth = 60, 7
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		var all []freerun.Future[int]
		for i := range trees {
			root := plot{plot{seed: seed}.draw(uint64(i)), depth}
			all = append(all, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return root.run(c), nil }))
		}
		for i, f := range all {
			want, panics := plot{plot{seed: seed}.draw(uint64(i)), depth}.expect()
			got, err := f.Wait(runtimetest.Within(t))
			if panics != (err != nil) || err == nil && got != want {
				t.Errorf("tree %d gave %d, %v; want %d, panic: %t", i, got, err, want, panics)
			}
		}
	})
}

// TestJoinDeterministic runs random trees under schedules drawn from seeds: results are right,
// branches are stolen, and a seed gives the same again.
func TestJoinDeterministic(t *testing.T) {
	stolen := uint64(0)
	run := func(seed uint64) []string {
		r := newRecorded(seed)
		rt, _ := runtimetest.Start(t, simhost.Option[freerun.Option](r), freerun.Processors(3))
		var all []freerun.Future[int]
		for i := range 5 {
			root := plot{plot{seed: seed}.draw(uint64(i)), 5}
			all = append(all, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return root.run(c), nil }))
		}
		for i, f := range all {
			want, panics := plot{plot{seed: seed}.draw(uint64(i)), 5}.expect()
			if got, err := f.Wait(runtimetest.Within(t)); panics != (err != nil) || err == nil && got != want {
				t.Errorf("seed %d, tree %d gave %d, %v; want %d, panic: %t", seed, i, got, err, want, panics)
			}
		}
		for _, p := range rt.Stats().Processors {
			stolen += p.Stolen
			r.log = append(r.log, fmt.Sprint(p))
		}
		rt.Close()
		return r.log
	}
	for seed := range uint64(30) {
		if first, again := run(seed), run(seed); !slices.Equal(first, again) {
			t.Fatalf("seed %d: two runs differ:\n%v\n%v", seed, first, again)
		}
	}
	if stolen == 0 {
		t.Error("nothing was stolen")
	}
}
