package mandelbrot

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramParts      = "parts"
	paramIterations = "iterations"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "mandelbrot",
	Doc:       "tasks compute the Mandelbrot set, each a part of the plane",
	Source:    "fourth paper, section 6, table 1",
	Operation: "point",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "c", Doc: "points on each side of the plane", Default: 2000, Quick: 200, Min: 10, Max: 100_000},
		{Name: paramParts, Letter: "n", Doc: "parts of the plane, a task each", Default: 100, Quick: 100, Min: 1, Max: 100_000},
		{Name: paramIterations, Letter: "k", Doc: "iterations for a point at most", Default: 5000, Quick: 500, Min: 1, Max: 1_000_000_000},
	},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each part, which yields now and then", Simulable: true, Run: runActivities},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine for each part", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string { return newPlane(v).due() },
}

// plane is the points from -2-1.5i to 1+1.5i, in rows, with the results of its parts.
type plane struct {
	side  int
	limit int
	parts []part
}

// part is some rows of the plane with the result of its task, which writes it once, at the end.
type part struct {
	from, to int
	found    tally
}

// tally is the result for some points.
type tally struct {
	iterations uint64 // in all
	inside     uint64 // points that did not escape
	print      uint64 // a sum over the points, with a different weight for each
}

func newPlane(v programs.Values) *plane {
	p := &plane{side: v.Get(programs.Size), limit: v.Get(paramIterations), parts: make([]part, v.Get(paramParts))}
	for i := range p.parts {
		p.parts[i].from, p.parts[i].to = i*p.side/len(p.parts), (i+1)*p.side/len(p.parts)
	}
	return p
}

// points returns the number of points.
func (p *plane) points() uint64 { return uint64(p.side) * uint64(p.side) }

// at returns the coordinates of a point. Points above the real axis mirror those below it to the
// last bit.
func (p *plane) at(row, column int) (x, y float64) {
	step := 3 / float64(p.side)
	return (float64(column)+0.5)*step - 2, (float64(row) + 0.5 - float64(p.side)/2) * step
}

// step is one iteration; it also returns the square of the distance from the origin before it. The
// conversions keep the compiler from fusing operations, after which the last bit would depend on
// the machine.
func step(zx, zy, x, y float64) (nx, ny, distance float64) {
	xx, yy := float64(zx*zx), float64(zy*zy)
	return float64(xx-yy) + x, float64(2*float64(zx*zy)) + y, xx + yy
}

// escape returns after how many iterations the point is known to be outside the set, at most limit.
// It is not inlined, so that all variants run the same code in any surroundings.
//
//go:noinline
func escape(x, y float64, limit int) int {
	var zx, zy, distance float64
	for i := range limit {
		if zx, zy, distance = step(zx, zy, x, y); distance > 4 {
			return i
		}
	}
	return limit
}

// add counts a point of the plane that took this many iterations of at most limit.
func (t *tally) add(place, iterations, limit int) {
	t.iterations += uint64(iterations)
	t.print += uint64(iterations) * (uint64(place)*0x9e3779b97f4a7c15 | 1)
	if iterations == limit {
		t.inside++
	}
}

// row computes a row of the plane.
func (t *tally) row(p *plane, row int) {
	for column := range p.side {
		x, y := p.at(row, column)
		t.add(row*p.side+column, escape(x, y, p.limit), p.limit)
	}
}

// checksum sums the results of the parts.
func (p *plane) checksum() string {
	var all tally
	for i := range p.parts {
		all.iterations += p.parts[i].found.iterations
		all.inside += p.parts[i].found.inside
		all.print += p.parts[i].found.print
	}
	return all.String()
}

func (t tally) String() string {
	return fmt.Sprintf("%d points inside, %d iterations, print %016x", t.inside, t.iterations, t.print)
}
