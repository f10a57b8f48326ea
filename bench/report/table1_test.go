package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// TestMeans: each mean is of the programs that have the variant, and of no other.
func TestMeans(t *testing.T) {
	var all rows
	add := func(program, variant string, kind programs.Kind, ns float64) {
		all = append(all, bench.Row{Program: program, Variant: variant, Kind: kind, Processors: 2, Size: 7, NsPerOp: ns})
	}
	for program, ns := range map[string][3]float64{ // goroutines, activities, units
		"city": {10, 40, 10}, "mandelbrot": {10, 10, 0}, "tokenring": {10, 20, 40},
	} {
		add(program, "goroutines", programs.PlainGo, ns[0])
		add(program, "activities", programs.Freerun, ns[1])
		if ns[2] > 0 {
			add(program, "units", programs.Freerun, ns[2])
		}
	}
	add("news", "units", programs.Freerun, 5) // beside no goroutines
	want := map[string]float64{
		"mean of 3, activities": 2, "mean of 2, units": 2, "mean of 2, their activities": math.Sqrt(8), "mean of 3, the better": math.Cbrt(2),
	}
	for _, m := range means(all, []int{1, 2}) {
		if w, known := want[m.of]; !known || m.processors != 2 || math.Abs(m.ratio-w) > 1e-9 {
			t.Errorf("%+v, want %v", m, w)
		}
		delete(want, m.of)
	}
	for of := range want {
		t.Errorf("there is no %s", of)
	}
}

// TestPageHasTheMeans: docs/benchmarks.md has the means of the saved rows; -update draws them.
func TestPageHasTheMeans(t *testing.T) {
	var names []string
	for _, a := range applications {
		if !slices.Contains(names, a.program) {
			names = append(names, a.program)
		}
	}
	all := saved(t, names...).real()
	var w strings.Builder
	w.WriteString("| ratios to goroutines, table 1 | on 1 processor | on 2 |\n| --- | ---: | ---: |\n")
	one, two := means(all, []int{1}), means(all, []int{2})
	if len(one) != 4 || len(two) != len(one) {
		t.Fatalf("%d and %d means, want 4 for each number of processors", len(one), len(two))
	}
	for i, m := range one {
		fmt.Fprintf(&w, "| %s | %.2f | %.2f |\n", m.of, m.ratio, two[i].ratio)
	}
	fmt.Fprintf(&w, "\nFrom %s, commit %s.\n", origins(all, func(o bench.Origin) string { return o.Machine }), origins(all, func(o bench.Origin) string { return o.Commit }))
	holdTable(t, "../../docs/benchmarks.md", "means", w.String())
}
