package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// TestAllocationIsDividedBySizeAndFrees: there is a chart for each size and kind of frees, of the
// greatest number of processors, against the tasks.
func TestAllocationIsDividedBySizeAndFrees(t *testing.T) {
	var all rows
	for _, processors := range []int{1, 2} {
		for _, size := range []int{1000, 10_000} {
			for _, foreign := range []int{0, 30, 100} {
				for _, tasks := range []int{64, 1, 2} {
					all = append(all, bench.Row{
						Program: "alloc", Variant: "offheap", Kind: programs.Freerun, Processors: processors, Size: size, NsPerOp: float64(100*processors + tasks),
						Params: []bench.Setting{{Name: "tasks", Value: tasks}, {Name: "foreign", Value: foreign}},
					})
				}
			}
		}
	}
	charts, used := drawAllocation(all)
	var titles []string
	for _, c := range charts {
		titles = append(titles, c.name())
		points := c.(*lines).series[0].points
		if len(points) != 3 || points[0].x != 1 || points[0].y != 201 || points[2].x != 64 || points[2].y != 264 {
			t.Errorf("%s: points %v", c.name(), points)
		}
	}
	want := []string{"1,000 bytes, own frees", "1,000 bytes, 30 % foreign frees", "1,000 bytes, foreign frees", "10,000 bytes, own frees"}
	for i, w := range want {
		if len(titles) != 6 || !strings.HasPrefix(titles[i], w) || !strings.HasSuffix(titles[i], "2 processors") {
			t.Errorf("charts %q, want one that begins with %q", titles, w)
		}
	}
	if len(used) != 18 {
		t.Errorf("%d rows are used, want the 18 of two processors", len(used))
	}
	if charts, _ := drawAllocation(nil); charts != nil {
		t.Error("charts of nothing")
	}
}

// TestRecordsHaveTheirFigures: besides the time, the collector's time and the memory are drawn, if
// they are known. No value is less than 1 on an axis without 0.
func TestRecordsHaveTheirFigures(t *testing.T) {
	row := func(variant string, kind programs.Kind, cpu uint64) bench.Row {
		return bench.Row{
			Program: "records", Variant: variant, Kind: kind, Processors: 2, NsPerOp: 400,
			Figures: []programs.Figure{{Name: "gc_cpu_us", Value: cpu}, {Name: "resident_percent_of_rounded", Value: uint64(130)}},
		}
	}
	all := rows{row("offheap", programs.Freerun, 0), row("make", programs.PlainGo, 5000)}
	before := slices.Clone(all)
	charts, used := kept.draw(all)
	if len(charts) != 3 || len(used) != 2 {
		t.Fatalf("%d charts of %d rows", len(charts), len(used))
	}
	var values []float64
	for _, m := range charts[1].(*dots).marks {
		values = append(values, m.x)
	}
	if !slices.Equal(values, []float64{1, 5000}) {
		t.Errorf("the collector's CPU time is drawn at %v", values)
	}
	if all[0].NsPerOp != before[0].NsPerOp {
		t.Error("the rows were changed")
	}
	all[0].Figures, all[1].Figures = nil, nil
	if charts, _ := kept.draw(all); len(charts) != 1 {
		t.Errorf("%d charts of rows without figures", len(charts))
	}
}
