package report

import (
	"fmt"

	"github.com/freerun-go/freerun/bench"
)

// allocation is the lecture's graphs of the memory manager.
var allocation = figure{
	id: "alloc", title: "Memory", source: "second paper, the graphs of the memory manager", command: "freerun bench alloc --rivals --processors 1,2",
	about: "Time for a block, allocated and freed, on the most processors, against the tasks that the work is divided among: blocks of 1000 and of 10,000 bytes, freed by the task that has " +
		"allocated them and by another one; and of blocks of which all bytes are written and read.",
	printed: "Plots without numbers in the text, for blocks of 1000 and of 10,000 bytes.",
	draw:    drawAllocation,
}

func drawAllocation(all rows) (charts []chart, used rows) {
	of := all.of("alloc").real().knowing("tasks").knowing("size").where(func(r bench.Row) bool { return setting(r, "foreign") >= 0 })
	counts := distinct(of, processors)
	if len(counts) == 0 {
		return nil, nil
	}
	n := counts[len(counts)-1]
	of = of.on(n)
	var roles cast
	for _, size := range of.values("size") {
		for _, foreign := range of.with("size", size).values("foreign") {
			both := of.with("size", size).with("foreign", foreign)
			// Older rows know no touch.
			hardly := both.where(func(r bench.Row) bool { return setting(r, "touch") <= 0 })
			add := func(with rows, use string) {
				if len(with) == 0 {
					return
				}
				charts, used = append(charts, allocationOf(with, &roles, fmt.Sprintf("%s bytes%s, %s, %s", precise(float64(size)), use, frees(foreign), plural(n, "processor")))), append(used, with...)
			}
			add(hardly, "")
			add(both.with("touch", 1), ", all touched")
		}
	}
	return charts, used
}

// allocationOf draws a curve for each variant, against the tasks.
func allocationOf(with rows, roles *cast, title string) chart {
	c := &lines{
		frame: frame{title: title, x: axis{label: "tasks", log: true, ticks: []float64{1, 2, 8, 64}}, y: axis{label: "ns a block", log: true}}, unit: "ns",
	}
	for _, name := range with.variants() {
		one := with.variant(name)
		c.series = append(c.series, series{
			name: name, role: roles.role(name, one[0].Kind),
			points: curve(one, func(r bench.Row) int { return setting(r, "tasks") }, took),
		})
	}
	return c
}

// frees describes which task frees a block, in the words of a reader.
func frees(foreign int) string {
	switch foreign {
	case 0:
		return "own frees"
	case 100:
		return "foreign frees"
	default:
		return fmt.Sprintf("%d %% foreign frees", foreign)
	}
}

// collected is the figure of the binary trees.
var collected = comparison("binary-trees", "Binary trees", "ns a node", "Trees that are built, counted and left to a collector.", "trees")

// kept is the figure of the store of records: its time, and its cost to the rest of the program.
var kept = figure{
	id: "records", title: "Many records", source: "isolates what many records cost the collector and the memory", command: "freerun bench records --processors 1,2",
	about: "A store of many small records, filled and then used: the time of an operation, the CPU time that Go’s collector took meanwhile, and the memory that the process came to have, in % of " +
		"what the records have if each is rounded to a power of two; the latter two of the run whose time is the median.",
	draw: func(all rows) (charts []chart, used rows) {
		of := all.of("records").real()
		if len(of) == 0 {
			return nil, nil
		}
		charts = append(charts, byVariant(of, "ns an operation"))
		for _, f := range []struct{ name, title, unit string }{
			{"gc_cpu_us", "records: Go’s collector", "µs of CPU time"},
			{"resident_percent_of_rounded", "records: memory", "% of the records’ blocks"},
		} {
			if with := of.where(func(r bench.Row) bool { return len(numbers(r, f.name)) == 1 }); len(with) > 0 {
				charts = append(charts, byFigure(with, f.name, f.title, f.unit))
			}
		}
		return charts, of
	},
}

// byFigure draws a line for each variant, as byVariant does, of a figure of its rows. The axis has
// no 0: values below 1 are drawn at 1.
func byFigure(of rows, name, title, unit string) chart {
	values := make(rows, len(of))
	for i, r := range of {
		r.NsPerOp = max(numbers(r, name)[0], 1)
		r.NsMin, r.NsMax = r.NsPerOp, r.NsPerOp
		values[i] = r
	}
	c := byVariant(values, unit)
	c.(*dots).title = title
	return c
}
