package report

import "github.com/freerun-go/freerun/bench"

// contention redraws the second paper's graphs of compare-and-swap.
var contention = figure{
	id: "cas", title: "Contention for one word", source: "second paper, performance of CAS, without and with back-off",
	command: "freerun bench cas --contenders 1,2,4,8,16,32,64 --processors 1,2",
	about:   "Time for each successful operation on one word, against the goroutines that contend for it, and how many operations failed meanwhile.",
	printed: "Two graphs without numbers. The slides say that a compare-and-swap is a memory barrier to the hardware.",
	draw: func(all rows) (charts []chart, used rows) {
		// Rows with 0 contenders, which means one for each processor, are left out.
		of := all.of("cas").where(func(r bench.Row) bool { return setting(r, "contenders") > 0 })
		charts, used = against(of, "contenders", axis{label: "contenders", log: true, ticks: []float64{1, 2, 4, 8, 16, 32, 64}}, axis{label: "ns an operation", log: true}, "ns an operation")
		if failed := drawFailed(of.real()); failed != nil {
			charts = append(charts, failed)
		}
		return charts, used
	},
}

// drawFailed draws how many operations failed on the greatest number of processors.
func drawFailed(of rows) chart {
	counts := distinct(of, processors)
	if len(counts) == 0 {
		return nil
	}
	n := counts[len(counts)-1]
	c := &lines{
		frame: frame{
			title: "cas, " + plural(n, "processor") + ": failures", x: axis{label: "contenders", log: true, ticks: []float64{1, 2, 4, 8, 16, 32, 64}},
			y: axis{label: "failed for each 1000 that succeeded", zero: true},
		},
		unit: "of 1000",
	}
	var roles cast
	for _, name := range of.variants() {
		with := of.on(n).variant(name)
		color := roles.role(name, of.variant(name)[0].Kind)
		if len(with) == 0 || len(numbers(with[0], "failed_per_1000")) == 0 {
			continue
		}
		c.series = append(c.series, series{name: name, role: color, points: curve(with, func(r bench.Row) int { return setting(r, "contenders") },
			func(r bench.Row, x int) point {
				v := 0.0
				if failed := numbers(r, "failed_per_1000"); len(failed) == 1 {
					v = failed[0]
				}
				return point{float64(x), v, v, v}
			})})
	}
	if len(c.series) == 0 {
		return nil
	}
	return c
}
