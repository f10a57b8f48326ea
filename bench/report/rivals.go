package report

import (
	"github.com/freerun-go/freerun/bench"
)

// The figures of programs that no paper has figures for. Each shows the program beside the same in
// plain Go and, where there are some, with other libraries.
var (
	messages = comparison("messages", "Messages", "ns a message", "A message from unit to unit (pingpong), from ordinary goroutines to one unit (fanin), and a request to the database (ddb).", "pingpong", "fanin", "ddb")

	submissions = comparison("submit", "Tasks from outside", "ns a task", "An empty task that an ordinary goroutine submits, beside pools of other libraries.", "submit")

	trees = comparison("trees", "Trees of tasks", "ns a task", "Trees whose nodes wait for their children: skynet with ten a node, fib with two and no extra work.", "skynet", "fib")

	accounts = comparison("bank", "Two units at once", "ns a transfer", "Transfers between accounts: an operation on two units, beside two locks taken in order.", "bank")

	floods = figure{
		id: "hot", title: "Under a flood", source: "isolates fairness", command: "freerun bench hot --processors 1,2",
		about: "The 99th percentile of calls to quiet units while two others are flooded with messages, in % of that in an idle runtime, of the run whose time is the median. 100 % is no effect.",
		draw: func(all rows) ([]chart, rows) {
			return percentiles(all.of("hot").real().knowing("depth"))
		},
	}

	idle = comparison("tick", "Next to nothing to do", "ns of CPU time a tick", "CPU time of the process for one task a millisecond.", "tick")
)

// comparison returns a figure with a chart for each of several programs.
func comparison(id, title, unit, about string, names ...string) figure {
	command := "freerun bench"
	for _, name := range names {
		command += " " + name
	}
	return figure{
		id: id, title: title, source: "isolates one cost", about: about, command: command + " --rivals --processors 1,2",
		draw: func(all rows) (charts []chart, used rows) {
			for _, name := range names {
				of := all.of(name).real()
				of = of.where(func(r bench.Row) bool { return setting(r, "work") <= 0 })
				if len(of) == 0 {
					continue
				}
				c := byVariant(of, unit)
				charts, used = append(charts, c), append(used, of...)
			}
			return charts, used
		},
	}
}

// byVariant draws a line for each variant. Its marks are filled for the greatest number of
// processors, and hollow for one.
func byVariant(of rows, unit string) chart {
	counts := few(distinct(of, processors))
	c := &dots{frame: frame{title: of[0].Program, x: axis{label: unit, log: true}}, unit: unit}
	at := make(map[string]int)
	for _, r := range of {
		shape := shapeOf(counts, r.Processors)
		if shape < 0 {
			continue
		}
		name := r.Variant
		if more := telling(of, r); more != "" {
			name += ", " + more
		}
		if _, known := at[name]; !known {
			at[name] = len(c.names)
			c.names = append(c.names, name)
		}
		p := took(r, 0)
		c.marks = append(c.marks, mark{at[name], kindRole(r.Kind), shape, name + ", " + plural(r.Processors, "processor"), point{p.y, 0, p.low, p.high}})
	}
	c.keys = append(kindKeys(of), shapeKeys(counts)...)
	return c
}

// percentiles draws how much longer calls take under a flood of messages.
func percentiles(of rows) (charts []chart, used rows) {
	var roles cast
	for _, n := range few(distinct(of, processors)) {
		c := &lines{frame: frame{title: "hot, " + plural(n, "processor"), x: axis{label: "messages in the mailbox of each flooded unit", log: true}, y: axis{label: "p99, % of idle", log: true}}, unit: "%"}
		for _, name := range of.on(n).variants() {
			with := of.on(n).variant(name).where(func(r bench.Row) bool { return len(numbers(r, "p99_percent_of_idle")) == 1 })
			if len(with) == 0 {
				continue
			}
			c.series = append(c.series, series{
				name: name, role: roles.role(name, with[0].Kind),
				points: curve(with, func(r bench.Row) int { return setting(r, "depth") }, func(r bench.Row, x int) point {
					v := max(numbers(r, "p99_percent_of_idle")[0], 1)
					return point{float64(x), v, v, v}
				}),
			})
			used = append(used, with...)
		}
		if len(c.series) > 0 {
			charts = append(charts, c)
		}
	}
	return charts, used
}
