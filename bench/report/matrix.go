package report

import (
	"slices"

	"github.com/freerun-go/freerun/bench"
)

// matrix is figure 10 of the fourth paper.
var matrix = figure{
	id: "matrix", title: "Multiplying matrices", source: "fourth paper, figure 10", command: "freerun bench matrix --processors 1,2",
	about: "How many times as fast tasks are as one loop without tasks on one processor, and the time that they took. The loops are the textbook’s, without regard to the cache, but for the tiled variants; " +
		"a quantum may have an effect, as activities that take turns walk the same columns.",
	printed: "Plots; the text prints the time with one thread, and that the speed-up is near linear until all logical processors are in use, drops with slightly more threads than that, " +
		"and recovers with many more. The size of the matrices is not printed.",
	table: [][]string{{"time with one thread", "Native", "Linux"}, {"matrix multiplication", "14.7 s", "12.5 s"}},
	draw:  drawMatrix,
}

func drawMatrix(all rows) (charts []chart, used rows) {
	of := all.of("matrix").real().knowing("tasks")
	if len(of) == 0 {
		return nil, nil
	}
	of = of.with("size", of[0].Size)
	counts := few(distinct(of, processors))
	tasks := func(r bench.Row) int { return setting(r, "tasks") }
	var ticks []float64
	for _, n := range distinct(of, tasks) {
		ticks = append(ticks, float64(n))
	}
	x := axis{label: "tasks", log: true, ticks: ticks}
	speedup := &lines{frame: frame{title: "matrix: speed-up", x: x, y: axis{label: "speed-up (times)", zero: true}}, unit: "times"}
	taken := &lines{frame: frame{title: "matrix of " + sizesOf(of) + " rows: time", x: x, y: axis{label: "ms", zero: true}}, unit: "ms"}
	alone := middle(of.variant("serial").on(counts[0]))
	var roles cast
	for _, name := range of.variants() {
		for i, n := range slices.Backward(counts) {
			with := of.variant(name).on(n)
			if len(with) == 0 || name == "serial" {
				continue
			}
			if i < len(counts)-1 && name != "activities" && name != "goroutines" {
				continue // more curves than there are colours
			}
			s := series{name: name + ", " + plural(n, "processor"), role: roles.role(s2(name, i, len(counts)), with[0].Kind)}
			if alone > 0 {
				s.points = curve(with, tasks, func(r bench.Row, x int) point {
					return point{float64(x), alone / r.NsPerOp, alone / max(r.NsMax, r.NsPerOp), alone / low(r.NsMin, r.NsPerOp)}
				})
				speedup.series = append(speedup.series, s)
			}
			s.points = curve(with, tasks, func(r bench.Row, x int) point {
				ms := float64(r.Operations) / 1e6
				p := took(r, x)
				return point{p.x, p.y * ms, p.low * ms, p.high * ms}
			})
			taken.series = append(taken.series, s)
			used = append(used, with...)
		}
	}
	if len(taken.series) == 0 {
		return nil, nil
	}
	if len(speedup.series) == 0 {
		return []chart{taken}, used
	}
	return []chart{speedup, taken}, used
}

// middle returns the median of the rows' times, or 0 if there are none.
func middle(of rows) float64 {
	var times []float64
	for _, r := range of {
		times = append(times, r.NsPerOp)
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// s2 returns the name that selects a curve's colour. A variant has one colour for the greatest
// number of processors and another for smaller numbers.
func s2(name string, i, of int) string {
	if i == of-1 {
		return name
	}
	return name + " on fewer"
}
