package report

import (
	"github.com/freerun-go/freerun/bench"
)

// creation is figure 7 of the fourth paper.
var creation = figure{
	id: "create", title: "Creating tasks", source: "fourth paper, figure 7",
	command: "freerun bench create --batch 1,10,100,1000,10000,100000,1000000 --processors 1,2",
	about:   "Time for each task that is created, run and ended, against how many are created before their end is waited for.",
	printed: "A plot without numbers for the times. The text prints how many threads can exist: Native creates 10,000,000 without a loss worth mentioning, Linux fails at 100,000, Windows at 1,000,000.",
	table:   [][]string{{"", "Native", "Linux", "Windows"}, {"threads at which it fails", "none up to 10,000,000", "100,000", "1,000,000"}},
	draw: func(all rows) ([]chart, rows) {
		return against(all.of("create"), "batch", axis{label: "tasks at a time", log: true}, axis{label: "ns a task", log: true}, "ns a task")
	},
}

// against draws two charts, for one processor and for the greatest number of processors. Each has a
// curve for each variant against a parameter.
func against(of rows, param string, x, y axis, unit string) (charts []chart, used rows) {
	of = of.real().knowing(param)
	var roles cast
	for _, n := range few(distinct(of, processors)) {
		c := &lines{frame: frame{title: of[0].Program + ", " + plural(n, "processor"), x: x, y: y}, unit: unit}
		for _, name := range of.on(n).variants() {
			with := of.on(n).variant(name)
			c.series = append(c.series, series{
				name: name, role: roles.role(name, with[0].Kind),
				points: curve(with, func(r bench.Row) int { return setting(r, param) }, took),
			})
			used = append(used, with...)
		}
		charts = append(charts, c)
	}
	return charts, used
}
