package report

import (
	"fmt"
	"slices"

	"github.com/freerun-go/freerun/bench"
)

const ddbCommand = "freerun bench ddb --processors 1,2"

// ddbFigures are figures 7 to 10 of the first paper.
func ddbFigures() []figure {
	const load = "Four server units and 28 client units; half of the reads go to one key, so one server has most to do. "
	return []figure{
		{
			id: "ddb-messages", title: "Messages run by each processor", source: "first paper, figure 7", command: ddbCommand,
			about:   load + "A curve for each number of processors, those that ran most first; the run is that of the median time.",
			printed: "A plot without numbers in the text, which says that the distribution over processors matches that over units: each of the 32 units settles on a processor of its own.",
			draw:    drawMessages,
		},
		{
			id: "ddb-steals", title: "Units stolen", source: "first paper, figure 8", command: ddbCommand,
			about:   load + "Successful raids on another processor, and what they took, of the run whose time is the median.",
			printed: "A plot without numbers in the text.",
			draw:    drawSteals,
		},
		{
			id: "ddb-stolen", title: "Which units were stolen", source: "first paper, figure 9", command: ddbCommand,
			about:   load + "How often each unit was stolen, of the run whose time is the median.",
			printed: "A plot for 32 processors, without numbers in the text, which says that units with much load were stolen less often, since the processors that had them were busy with them.",
			draw:    drawStolen,
		},
		{
			id: "ddb-use", title: "Use of the processors", source: "first paper, figure 10", command: ddbCommand,
			about:   load + "CPU time of the process divided by what all processors could have given in the time that it took, both medians. What Go's collector uses counts.",
			printed: "A plot without numbers in the text, which says that it is lower than for fib: most messages go to few units, so some processors run out of work.",
			draw:    drawUse,
		},
	}
}

// units returns the rows of the variant that is written as in the paper.
func units(all rows) rows { return all.of("ddb").variant("units") }

func drawMessages(all rows) (charts []chart, used rows) {
	c := &lines{
		frame: frame{title: "ddb, units: messages of each processor", x: axis{label: "processor, by messages"}, y: axis{label: "messages", zero: true}},
		unit:  "messages",
	}
	for i, n := range distinct(units(all), processors) {
		r := units(all).on(n)[0]
		counts := numbers(r, "messages_per_processor")
		if len(counts) == 0 {
			continue
		}
		slices.SortFunc(counts, func(a, b float64) int { return int(b - a) })
		s := series{name: plural(n, "processor") + otherSize(r, units(all)), role: ours + role(i)%(theirs-ours), dashed: r.Simulated}
		if r.Simulated {
			s.name += simulation
		}
		for at, count := range counts {
			s.points = append(s.points, point{float64(at + 1), count, count, count})
			if at < 2 || (at+1)&at == 0 { // 1, 2, 4, 8 …
				c.x.ticks = append(c.x.ticks, float64(at+1))
			}
		}
		c.series = append(c.series, s)
		used = append(used, r)
	}
	if len(c.series) == 0 {
		return nil, nil
	}
	slices.Sort(c.x.ticks)
	c.x.ticks = slices.Compact(c.x.ticks)
	return []chart{c}, used
}

func drawSteals(all rows) (charts []chart, used rows) {
	c := &lines{
		frame: frame{title: "ddb, units: stealing", x: processorAxis(units(all)), y: axis{label: "in a run", zero: true}},
	}
	for _, part := range []rows{units(all).real(), units(all).simulated()} {
		for i, name := range []string{"successful raids", "units taken"} {
			if len(part) == 0 {
				continue
			}
			s := series{name: name + otherSize(part[0], units(all)), role: ours + role(i), dashed: part[0].Simulated}
			if s.dashed {
				s.name += simulation
			}
			for _, n := range distinct(part, processors) {
				r := part.on(n)[0]
				if steals := numbers(r, "steals"); len(steals) == 2 {
					s.points = append(s.points, point{float64(n), steals[i], steals[i], steals[i]})
					used = append(used, r)
				}
			}
			if len(s.points) > 0 {
				c.series = append(c.series, s)
			}
		}
	}
	if len(c.series) == 0 {
		return nil, nil
	}
	return []chart{c}, once(used)
}

// otherSize says how many requests each client made, if that differs from the first row: the
// numbers of messages and steals grow with it.
func otherSize(r bench.Row, all rows) string {
	if r.Size == all[0].Size {
		return ""
	}
	return ", size " + precise(float64(r.Size))
}

// once returns the rows without duplicates, which occur when several curves are drawn from one row.
func once(all rows) rows {
	var some rows
	for _, r := range all {
		if !slices.ContainsFunc(some, func(s bench.Row) bool {
			return s.Program == r.Program && s.Variant == r.Variant && s.Processors == r.Processors && s.Simulated == r.Simulated && s.Point == r.Point &&
				slices.Equal(s.Params, r.Params)
		}) {
			some = append(some, r)
		}
	}
	return some
}

// drawStolen draws two charts: for the greatest measured number of processors, and for the greatest
// simulated number up to the paper's 32.
func drawStolen(all rows) (charts []chart, used rows) {
	for _, part := range []rows{units(all).real(), units(all).simulated().where(func(r bench.Row) bool { return r.Processors <= 32 })} {
		counts := distinct(part, processors)
		if len(counts) == 0 || counts[len(counts)-1] < 2 {
			continue
		}
		r := part.on(counts[len(counts)-1])[0]
		c := stolen(r)
		if c != nil {
			charts, used = append(charts, c), append(used, r)
		}
	}
	return charts, used
}

func stolen(r bench.Row) chart {
	servers, clients := numbers(r, "steals_per_server"), numbers(r, "steals_per_client")
	if len(servers)+len(clients) == 0 {
		return nil
	}
	c := &columns{
		frame: frame{title: "ddb, units: stolen on " + plural(r.Processors, "processor"), x: axis{label: "unit"}, y: axis{label: "times stolen", zero: true}},
		keys:  []legendKey{{"servers", ours + 1, 0}, {"clients", ours, 0}}, unit: "times",
	}
	if r.Simulated {
		c.title += ", simulated"
	}
	for i, n := range servers {
		c.columns = append(c.columns, column{"", fmt.Sprintf("server %d", i+1), ours + 1, n})
	}
	for i, n := range clients {
		name := ""
		if i%4 == 3 {
			name = fmt.Sprintf("c%d", i+1)
		}
		c.columns = append(c.columns, column{name, fmt.Sprintf("client %d", i+1), ours, n})
	}
	return c
}

func drawUse(all rows) (charts []chart, used rows) {
	of := all.of("ddb").real()
	c := &lines{
		frame: frame{title: "ddb: use of the processors", x: processorAxis(of), y: axis{label: "CPU time of what there is (%)", zero: true}},
		unit:  "%",
	}
	var roles cast
	for _, name := range of.variants() {
		with := of.variant(name).where(func(r bench.Row) bool { return r.CPUNsPerOp > 0 })
		if len(with) == 0 {
			continue
		}
		c.series = append(c.series, series{name: name, role: roles.role(name, with[0].Kind), points: curve(with, processors, func(r bench.Row, n int) point {
			share := 100 * r.CPUNsPerOp / r.NsPerOp / float64(n)
			return point{float64(n), share, share, share}
		})})
		used = append(used, with...)
	}
	if len(c.series) == 0 {
		return nil, nil
	}
	return []chart{c}, used
}
