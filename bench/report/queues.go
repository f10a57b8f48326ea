package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// containers is the figure of the queues of package queue and of others.
var containers = figure{
	id: "queues", title: "Containers", source: "isolates the queues; the shapes are those of lecture 13", command: "freerun bench queues --rivals --processors 1,2",
	about:   "Time for an item from one side to the other, on the most processors, for each number of producers and consumers; the fastest first. Filled, items of 8 bytes; hollow, of a cache line.",
	printed: "The lecture describes the designs and has no measurements.",
	draw:    drawContainers,
}

func drawContainers(all rows) (charts []chart, used rows) {
	of := all.of("queues").real()
	counts := distinct(of, processors)
	if len(counts) == 0 {
		return nil, nil
	}
	n := counts[len(counts)-1]
	of = of.on(n)
	for _, producers := range of.values("producers") {
		for _, consumers := range of.with("producers", producers).values("consumers") {
			with := of.with("producers", producers).with("consumers", consumers)
			title := fmt.Sprintf("%s to %s, %s", plural(producers, "producer"), plural(consumers, "consumer"), plural(n, "processor"))
			charts = append(charts, ranked(with, title, "ns an item", "payload"))
			used = append(used, with...)
		}
	}
	return charts, used
}

// kindRole returns the colour of elements that are told apart by their kind alone.
func kindRole(k programs.Kind) role { return new(cast).role("", k) }

// ranked draws a line for each variant, the fastest first, with a mark for each value of a
// parameter: filled for the first value, hollow for the next.
func ranked(of rows, title, unit, param string) chart {
	values := of.values(param)
	best := of.with(param, values[0])
	slices.SortStableFunc(best, func(a, b bench.Row) int { return cmp.Compare(a.NsPerOp, b.NsPerOp) })
	c := &dots{frame: frame{title: title, x: axis{label: unit, log: true}}, unit: unit, names: best.variants(), keys: kindKeys(of)}
	for _, r := range of {
		line := slices.Index(c.names, r.Variant)
		if line < 0 {
			line = len(c.names)
			c.names = append(c.names, r.Variant)
		}
		p := took(r, 0)
		c.marks = append(c.marks, mark{
			line, kindRole(r.Kind), slices.Index(values, setting(r, param)),
			fmt.Sprintf("%s, %s %d", r.Variant, param, setting(r, param)),
			point{p.y, 0, p.low, p.high},
		})
	}
	if len(values) > 1 {
		for i, v := range values {
			c.keys = append(c.keys, legendKey{fmt.Sprintf("%s %d", param, v), printed, i})
		}
	}
	return c
}

// kindKeys explains the colours of the kinds among the rows.
func kindKeys(of rows) []legendKey {
	var keys []legendKey
	for _, k := range []programs.Kind{programs.Baseline, programs.Freerun, programs.PlainGo, programs.Rival} {
		if slices.ContainsFunc(of, func(r bench.Row) bool { return r.Kind == k }) {
			name := k.String()
			if k == programs.Rival {
				name = "other libraries"
			}
			keys = append(keys, legendKey{name, kindRole(k), 0})
		}
	}
	return keys
}
