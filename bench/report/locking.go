package report

import "github.com/freerun-go/freerun/bench"

// locking is figure 9 of the fourth paper.
var locking = figure{
	id: "lock", title: "Locking", source: "fourth paper, figure 9", command: "freerun bench lock --processors 1,2",
	about:   "Time to lock and unlock: a lock of its own for each task, or one that all contend for.",
	printed: "A plot without numbers in the text, which says that local locks cost much the same everywhere, Native's least, and that the global lock costs Native more, as processors contend for its memory.",
	draw: func(all rows) ([]chart, rows) {
		return perCase(all.of("lock"), "ns for lock and unlock", func(r bench.Row) string {
			words := "one lock"
			if setting(r, "local") == 1 {
				words = "own locks"
			}
			return words + ", " + plural(setting(r, "tasks"), "task")
		})
	},
}

// perCase draws one chart with a line for each case. Each variant has a mark on it: filled for the
// greatest number of processors, hollow for fewer.
func perCase(of rows, label string, name func(bench.Row) string) (charts []chart, used rows) {
	of = of.real()
	if len(of) == 0 {
		return nil, nil
	}
	c := &dots{frame: frame{title: of[0].Program, x: axis{label: label, log: true}}, unit: label}
	var roles cast
	for _, v := range of.variants() {
		c.keys = append(c.keys, legendKey{v, roles.role(v, of.variant(v)[0].Kind), 0})
	}
	at := make(map[string]int)
	counts := few(distinct(of, processors))
	for _, r := range of {
		shape := shapeOf(counts, r.Processors)
		if shape < 0 {
			continue
		}
		if _, known := at[name(r)]; !known {
			at[name(r)] = len(c.names)
			c.names = append(c.names, name(r))
		}
		p := took(r, 0)
		c.marks = append(c.marks, mark{
			at[name(r)], roles.role(r.Variant, r.Kind), shape,
			name(r) + ", " + r.Variant + ", " + plural(r.Processors, "processor"),
			point{p.y, 0, p.low, p.high},
		})
		used = append(used, r)
	}
	c.keys = append(c.keys, shapeKeys(counts)...)
	return []chart{c}, used
}

// shapeOf returns the glyph for a number of processors: filled for the last number, hollow for the
// one before, or -1 for a number that is not drawn.
func shapeOf(counts []int, n int) int {
	for i, count := range counts {
		if count == n {
			return len(counts) - 1 - i
		}
	}
	return -1
}

// shapeKeys explains the glyphs.
func shapeKeys(counts []int) []legendKey {
	var keys []legendKey
	for _, n := range counts {
		keys = append(keys, legendKey{plural(n, "processor"), printed, shapeOf(counts, n)})
	}
	return keys
}
