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
			about:      load + "Those that ran most first, and none that ran nothing; the run is that of the median time. The grey curve is the units’ load, in the same order.",
			printed:    "A plot without numbers in the text. There were 32 processors and 32 units.",
			statements: messageStatements,
			draw:       drawMessages,
		},
		{
			id: "ddb-steals", title: "Units stolen", source: "first paper, figure 8", command: ddbCommand,
			about:      load + "Successful raids on another processor, and what they took, of the run whose time is the median.",
			printed:    "A plot without numbers in the text.",
			statements: stealStatements,
			draw:       drawSteals,
		},
		{
			id: "ddb-stolen", title: "Which units were stolen", source: "first paper, figure 9", command: ddbCommand,
			about:      load + "How often each unit was stolen, of the run whose time is the median; and for each 1,000 messages that it ran.",
			printed:    "A plot for 32 processors, without numbers in the text.",
			statements: stolenStatements,
			draw:       drawStolen,
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

// drawMessages draws a curve for the most measured processors, and for some numbers of simulated
// ones.
func drawMessages(all rows) (charts []chart, used rows) {
	c := &lines{
		frame: frame{title: "ddb, units: messages of each processor", x: axis{label: "processor, by messages"}, y: axis{label: "messages", log: true}},
		unit:  "messages",
	}
	var drawn rows
	if counts := distinct(units(all).real(), processors); len(counts) > 0 {
		drawn = rows{units(all).real().on(counts[len(counts)-1])[0]}
	}
	for _, n := range distinct(units(all).simulated(), processors) {
		if n == 8 || n == paperProcessors || n == 64 {
			drawn = append(drawn, units(all).simulated().on(n)[0])
		}
	}
	ranks := 0
	for i, r := range drawn {
		counts := descending(numbers(r, "messages_per_processor")...)
		if len(counts) == 0 {
			continue
		}
		s := series{name: plural(r.Processors, "processor") + otherSize(r, units(all)), role: ours + role(i)%(theirs-ours), dashed: r.Simulated}
		if r.Simulated {
			s.name += simulation
		}
		if s.points, ranks = byRank(counts), max(ranks, len(counts)); len(s.points) == 0 {
			continue
		}
		c.series = append(c.series, s)
		used = append(used, r)
	}
	if len(c.series) == 0 {
		return nil, nil
	}
	if l, ok := loadOf(drawn.simulated()); ok {
		s := series{name: "the units" + simulation, role: baseline, dashed: true, points: byRank(descending(append(l.servers, l.clients...)...))}
		c.series, ranks = append(c.series, s), max(ranks, len(s.points))
	}
	for at := 1; at <= ranks; at *= 2 {
		c.x.ticks = append(c.x.ticks, float64(at))
	}
	c.x.log = ranks > 8
	return []chart{c}, used
}

// byRank returns the points of values in their order, from 1 on.
func byRank(values []float64) []point {
	var points []point
	for i, v := range values {
		if v > 0 { // the axis is logarithmic
			points = append(points, point{float64(i + 1), v, v, v})
		}
	}
	return points
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

// drawStolen draws three charts: for the greatest measured number of processors, for the greatest
// simulated number up to the paper's 32, and by load for all of them.
func drawStolen(all rows) (charts []chart, used rows) {
	for _, part := range []rows{units(all).real(), units(all).simulated().where(func(r bench.Row) bool { return r.Processors <= paperProcessors })} {
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
	if c, of := stolenByLoad(units(all)); c != nil {
		charts, used = append(charts, c), once(append(used, of...))
	}
	return charts, used
}

// stolenByLoad draws how often units were stolen for each 1,000 messages that they ran: the hot
// server, the other servers, the clients.
func stolenByLoad(of rows) (chart, rows) {
	c := &lines{
		frame: frame{title: "ddb, units: stolen, by load", x: processorAxis(of), y: axis{label: "for each 1,000 messages", zero: true}},
		unit:  "times for each 1,000 messages",
	}
	var used rows
	for _, part := range []rows{of.real(), of.simulated()} {
		all := []series{{name: "hot server", role: ours + 1}, {name: "other servers", role: ours + 4}, {name: "clients", role: ours}}
		for _, n := range distinct(part, processors) {
			r := part.on(n)[0]
			l := newLoad(r)
			if !l.known() || n < 2 {
				continue
			}
			i := l.hot()
			hot, hotSteals := l.servers[i], l.serverSteals[i]
			for k, rate := range []float64{
				hotSteals / hot, (sum(l.serverSteals) - hotSteals) / max(1, sum(l.servers)-hot), sum(l.clientSteals) / sum(l.clients),
			} {
				all[k].points = append(all[k].points, point{float64(n), 1000 * rate, 1000 * rate, 1000 * rate})
			}
			used = append(used, r)
		}
		for _, s := range all {
			if len(s.points) == 0 {
				continue
			}
			if s.dashed = len(part.simulated()) > 0; s.dashed {
				s.name += simulation
			}
			c.series = append(c.series, s)
		}
	}
	if len(c.series) == 0 {
		return nil, nil
	}
	return c, used
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
