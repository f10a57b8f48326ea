package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// rows are some of the rows of a run, in their order.
type rows []bench.Row

// where returns the rows for which keep returns true.
func (all rows) where(keep func(bench.Row) bool) rows {
	var some rows
	for _, r := range all {
		if keep(r) {
			some = append(some, r)
		}
	}
	return some
}

// sound returns the rows that can be drawn. A time that was too short for the clock is no point of
// a curve.
func sound(all []bench.Row) rows {
	return rows(all).where(func(r bench.Row) bool { return r.NsPerOp > 0 && r.NsPerOp <= math.MaxFloat64 && r.Processors > 0 })
}

func (all rows) of(program string) rows {
	return all.where(func(r bench.Row) bool { return r.Program == program })
}

func (all rows) variant(names ...string) rows {
	return all.where(func(r bench.Row) bool { return slices.Contains(names, r.Variant) })
}

func (all rows) on(processors int) rows {
	return all.where(func(r bench.Row) bool { return r.Processors == processors })
}

func (all rows) real() rows      { return all.where(func(r bench.Row) bool { return !r.Simulated }) }
func (all rows) simulated() rows { return all.where(func(r bench.Row) bool { return r.Simulated }) }

// with returns the rows whose parameter has the value.
func (all rows) with(param string, value int) rows {
	return all.where(func(r bench.Row) bool { return setting(r, param) == value })
}

// knowing returns the rows that have a value above 0 for the parameter. Rows that are older than
// the parameter do not have it.
func (all rows) knowing(param string) rows {
	return all.where(func(r bench.Row) bool { return setting(r, param) > 0 })
}

// setting returns the value of a row's parameter, or -1 if the row has no parameter of that name.
func setting(r bench.Row, param string) int {
	if param == programs.Size {
		return r.Size
	}
	for _, s := range r.Params {
		if s.Name == param {
			return s.Value
		}
	}
	return -1
}

// distinct returns the values of f for the rows, each once, in ascending order.
func distinct(all rows, f func(bench.Row) int) []int {
	var values []int
	for _, r := range all {
		values = append(values, f(r))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

func processors(r bench.Row) int { return r.Processors }

// values returns the values of a parameter among the rows.
func (all rows) values(param string) []int {
	return distinct(all, func(r bench.Row) int { return setting(r, param) })
}

// variants returns the names of the variants, each once, in order of appearance.
func (all rows) variants() []string {
	var names []string
	for _, r := range all {
		if !slices.Contains(names, r.Variant) {
			names = append(names, r.Variant)
		}
	}
	return names
}

// numbers returns a row's figure of one or several numbers, or nil if the row has none of that
// name.
func numbers(r bench.Row, name string) []float64 {
	for _, f := range r.Figures {
		if f.Name != name {
			continue
		}
		var all []float64
		switch v := f.Value.(type) {
		case float64:
			all = append(all, v)
		case uint64:
			all = append(all, float64(v))
		case []uint64:
			for _, n := range v {
				all = append(all, float64(n))
			}
		case []float64:
			all = append(all, v...)
		}
		return all
	}
	return nil
}

// took returns the point of a row's nanoseconds per operation at x.
func took(r bench.Row, x int) point {
	return point{x: float64(x), y: r.NsPerOp, low: low(r.NsMin, r.NsPerOp), high: max(r.NsMax, r.NsPerOp)}
}

// low returns the least value, or the median where the least is not known.
func low(least, median float64) float64 {
	if least <= 0 {
		return median
	}
	return least
}

// curve returns the points of the rows, one for each value of x, in ascending order.
func curve(all rows, x func(bench.Row) int, y func(bench.Row, int) point) []point {
	var points []point
	for _, at := range distinct(all, x) {
		i := slices.IndexFunc(all, func(r bench.Row) bool { return x(r) == at })
		points = append(points, y(all[i], at))
	}
	return points
}

// few returns the numbers of processors that get a chart of their own: the first and the last.
func few(all []int) []int {
	if len(all) < 3 {
		return all
	}
	return []int{all[0], all[len(all)-1]}
}

// plural writes a number of things.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sizesOf says how large the rows are, such as "300".
func sizesOf(all rows) string {
	var words []string
	for _, size := range distinct(all, func(r bench.Row) int { return r.Size }) {
		words = append(words, precise(float64(size)))
	}
	return strings.Join(words, " and ")
}

// telling returns the parameters of a row whose values differ among the rows, such as "tasks 10".
func telling(all rows, r bench.Row) string {
	var words []string
	for _, p := range r.Params {
		if len(all.values(p.Name)) > 1 {
			words = append(words, fmt.Sprintf("%s %s", p.Name, precise(float64(p.Value))))
		}
	}
	return strings.Join(words, ", ")
}
