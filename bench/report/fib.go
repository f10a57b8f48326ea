package report

import (
	"fmt"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// fibVariants are the variants of fib that are drawn. The paper's own way comes first.
var fibVariants = []struct{ name, title string }{
	{"futures", "freerun: messages and futures, as in the paper"},
	{"lazy", "freerun: the same, declared small"},
	{"join", "freerun: fork and join"},
	{"goroutines", "plain Go: goroutines and channels"},
}

const fibCommand = "freerun bench fib --size 25 --work 0,100,1000,10000 --processors 1,2"

// fibFigures are figures 4 to 6 of the first paper.
func fibFigures() []figure {
	const amounts = "One curve for each amount of extra work: how far every call and every addition counts."
	const charged = "What is measured is the process’s time. The model’s is what its processors work and search; it charges for lines of the cache that move, thefts and wake-ups, and not for memory or Go’s collector."
	return []figure{
		{
			id: "fib-speedup", title: "Speed-up of fib", source: "first paper, figure 4", command: fibCommand,
			about:      "Time on one processor divided by the time on several; both axes are logarithmic where there are many processors. " + amounts,
			printed:    "A plot of the time against processors, for several amounts of work. The text gives no numbers.",
			statements: speedupStatements,
			draw: drawFib("speed-up (times)", true, "times", func(r, one bench.Row, x int) (point, bool) {
				return point{
					x: float64(x), y: one.NsPerOp / r.NsPerOp,
					low: one.NsPerOp / max(r.NsMax, r.NsPerOp), high: one.NsPerOp / low(r.NsMin, r.NsPerOp),
				}, true
			}),
		},
		{
			id: "fib-lost", title: "CPU time lost by fib", source: "first paper, figure 5", command: fibCommand,
			about:      "CPU time on several processors, less that on one, for each call of fib. " + amounts + " Below zero, several used less than one. " + charged,
			printed:    "A plot without numbers in the text.",
			statements: lostStatements,
			draw: drawFib("CPU time lost (ns a call)", false, "ns a call", func(r, one bench.Row, x int) (point, bool) {
				return point{
					x: float64(x), y: r.CPUNsPerOp - one.CPUNsPerOp,
					low: low(r.CPUNsMin, r.CPUNsPerOp) - one.CPUNsPerOp, high: max(r.CPUNsMax, r.CPUNsPerOp) - one.CPUNsPerOp,
				}, r.CPUNsPerOp > 0 && one.CPUNsPerOp > 0
			}),
		},
		{
			id: "fib-waste", title: "CPU waste of fib", source: "first paper, figure 6", command: fibCommand,
			about:      "CPU time on several processors, divided by that on one. " + amounts + " " + charged,
			printed:    "A plot without numbers in the text.",
			statements: wasteStatements,
			draw: drawFib("waste ratio (times)", false, "times", func(r, one bench.Row, x int) (point, bool) {
				return point{
					x: float64(x), y: r.CPUNsPerOp / one.CPUNsPerOp,
					low: low(r.CPUNsMin, r.CPUNsPerOp) / one.CPUNsPerOp, high: max(r.CPUNsMax, r.CPUNsPerOp) / one.CPUNsPerOp,
				}, r.CPUNsPerOp > 0 && one.CPUNsPerOp > 0
			}),
		},
	}
}

// compared makes a point from a row and the row of the same work on one processor. It reports
// whether both rows have the needed figures.
type compared func(r, one bench.Row, x int) (point, bool)

// drawFib draws a chart for each variant, with a curve for each amount of work.
func drawFib(label string, ideal bool, unit string, value compared) func(rows) ([]chart, rows) {
	return func(all rows) (charts []chart, used rows) {
		for _, v := range fibVariants {
			of := all.of("fib").variant(v.name)
			c := &lines{
				frame: frame{title: v.title, x: processorAxis(of), y: axis{label: label, zero: true}},
				ideal: ideal, unit: unit,
			}
			if ideal && c.x.log { // so that the first processors are not all in one corner
				c.y = axis{label: label, log: true, ticks: c.x.ticks}
			}
			for _, part := range []rows{of.real(), of.simulated()} {
				drawn := c.add(part, value)
				used = append(used, drawn...)
			}
			if len(c.series) > 0 {
				charts = append(charts, c)
			}
		}
		return charts, used
	}
}

// add adds a curve for each amount of work that was measured on one processor and on several, and
// returns the rows of the curves.
func (l *lines) add(of rows, value compared) (used rows) {
	for i, work := range of.values("work") {
		with := of.with("work", work)
		with = with.with(programs.Size, with[0].Size) // of several sizes the first one
		one := with.on(1)
		if len(one) == 0 || len(distinct(with, processors)) < 2 {
			continue
		}
		s := series{name: fmt.Sprintf("work %s", precise(float64(work))), role: workRole(with[0].Kind, i), dashed: with[0].Simulated}
		if s.dashed {
			s.name += simulation
		}
		for _, n := range distinct(with, processors) {
			if p, known := value(with.on(n)[0], one[0], n); known {
				s.points = append(s.points, p)
			}
		}
		if len(s.points) > 0 {
			l.series = append(l.series, s)
			used = append(used, with...)
		}
	}
	return used
}

// workRole returns the colour of the i-th amount of work.
func workRole(kind programs.Kind, i int) role {
	if kind == programs.PlainGo {
		return theirs + role(i)%(rivals-theirs)
	}
	return ours + role(i)%(theirs-ours)
}

// processorAxis returns the axis for numbers of processors: logarithmic if there are many.
func processorAxis(all rows) axis {
	a := axis{label: "processors", ticks: processorTicks(all)}
	a.log = a.ticks != nil && a.ticks[len(a.ticks)-1] > 8
	return a
}

// processorTicks returns the numbers of processors as places on an axis. Of many neighbouring
// numbers it returns only some.
func processorTicks(all rows) []float64 {
	var at []float64
	for _, n := range distinct(all, processors) {
		if len(at) == 0 || float64(n) >= at[len(at)-1]*1.5 {
			at = append(at, float64(n))
		}
	}
	return at
}
