package matrix

import (
	"strconv"
	"time"

	"github.com/freerun-go/freerun/programs"
)

const paramTasks = "tasks"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "matrix",
	Doc:       "tasks multiply two matrices, each computes rows of its own",
	Source:    "fourth paper, section 6, figure 10",
	Operation: "multiplication and addition",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "n", Doc: "rows and columns of the matrices", Default: 500, Quick: 100, Min: 10, Max: 10_000},
		{Name: paramTasks, Letter: "m", Doc: "tasks that the rows are shared among", Default: 64, Quick: 64, Min: 1, Max: 1_000_000},
	},
	Points: []map[string]int{{paramTasks: 1}, {paramTasks: 2}, {paramTasks: 3}, {paramTasks: 4}, {paramTasks: 16}, {paramTasks: 64}},
	Variants: []programs.Variant{
		{Name: "serial", Kind: programs.Baseline, Doc: "one row after another, without tasks", Run: runSerial},
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each task, which yields now and then", Simulable: true, Run: runActivities},
		{Name: "activities-unbroken", Kind: programs.Freerun, Doc: "the same with a quantum that never ends", Simulable: true, Run: runActivitiesUnbroken},
		{Name: "activities-tiled", Kind: programs.Freerun, Doc: "an activity for each task, tile by tile", Simulable: true, Run: runActivitiesTiled},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine for each task", Run: runGoroutines},
		{Name: "goroutines-tiled", Kind: programs.PlainGo, Doc: "a goroutine for each task, tile by tile", Run: runGoroutinesTiled},
	},
	Expected: func(v programs.Values) string { return newProblem(v.Get(programs.Size)).due() },
}

// problem is two matrices and their product. The elements are integers, so small that the sums are
// exact.
type problem struct {
	n       int
	a, b, c [][]float64 // c is a times b; each row of it is written by one task
}

func newProblem(n int) *problem {
	p := &problem{n: n, a: square(n), b: square(n), c: square(n)}
	for i := range n {
		for j := range n {
			p.a[i][j] = float64((3*i + 5*j) % 11)
			p.b[i][j] = float64((7*i + 2*j) % 13)
		}
	}
	return p
}

func square(n int) [][]float64 {
	rows, all := make([][]float64, n), make([]float64, n*n)
	for i := range rows {
		rows[i] = all[i*n : (i+1)*n]
	}
	return rows
}

// operations returns how many multiplications the product takes.
func (p *problem) operations() uint64 { return uint64(p.n) * uint64(p.n) * uint64(p.n) }

// element returns one element of the product by the textbook's loop: as in the paper, without
// regard to the cache. It is not inlined, so that all variants run the same code in any
// surroundings.
//
//go:noinline
func (p *problem) element(row []float64, column int) (sum float64) {
	for k, x := range row {
		sum += x * p.b[k][column]
	}
	return sum
}

// share returns the rows of task i, of this many tasks; there may be none.
func (p *problem) share(i, tasks int) (from, to int) { return i * p.n / tasks, (i + 1) * p.n / tasks }

// alone computes the product without tasks, drops it, and returns the time that this took.
func (p *problem) alone() time.Duration {
	began := time.Now()
	p.multiply(0, p.n)
	took := time.Since(began)
	for _, row := range p.c {
		clear(row)
	}
	return took
}

// speedup is the figure of how much faster the tasks were than alone.
func speedup(alone, elapsed time.Duration) []programs.Figure {
	return []programs.Figure{{
		Name: "speedup_percent", Doc: "time without tasks, in % of the time with them", Value: uint64(100 * alone / max(1, elapsed)),
	}}
}

// checksum returns the sum of the product's elements, each weighted by its place.
func (p *problem) checksum() string {
	var sum float64
	for i, row := range p.c {
		for j, x := range row {
			sum += weight(i) * weight(j+3) * x
		}
	}
	return strconv.FormatFloat(sum, 'f', 0, 64)
}

func weight(i int) float64 { return float64(1 + i%7) }

// due returns the expected checksum without the product: weights times a, times b times weights.
func (p *problem) due() string {
	var sum float64
	for k := range p.n {
		var left, right float64
		for i := range p.n {
			left += weight(i) * p.a[i][k]
			right += p.b[k][i] * weight(i+3)
		}
		sum += left * right
	}
	return strconv.FormatFloat(sum, 'f', 0, 64)
}
