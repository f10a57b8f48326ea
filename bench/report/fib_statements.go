package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// The statements about figures 4 to 6 are decided by the variant that is written as in the paper.
var (
	speedupStatements = []statement{
		{
			says:  "With much work at each call, all processors are used well: the speed-up is near linear.",
			test:  "With the most work, the speed-up is 90% of linear or more on every number of processors; partly: 75%.",
			judge: nearLinear,
		},
		{
			says:  "At higher concurrency the curve tails off, because of synchronization.",
			test:  "For every amount of work, the most processors are by 2% or more further from linear than 8 are; partly: for some amounts.",
			judge: tailsOff,
		},
		{
			says:  "The more work, the nearer is the speed-up to linear.",
			test:  "On no number of processors does more work bring a speed-up that is lower by more than 2%, and on the most processors the most work brings more than none; partly: on the most processors only.",
			judge: moreWorkScales,
		},
	}
	lostStatements = []statement{
		{
			says:  "Each processor that is added costs CPU time, for synchronization.",
			test:  "For every amount of work, the lost time is above 0 on all numbers of processors and grows with it; partly: above 0 on the most processors.",
			judge: timeIsLost,
		},
		{
			says:  "The lost time depends on the amount of work, which the author cannot explain and does not expect.",
			test:  "On the most processors, the lost time of one amount of work is 1.5 times that of another or more.",
			judge: depends(false),
		},
	}
	wasteStatements = []statement{
		{
			says:  "The waste depends on the amount of work.",
			test:  "On the most processors, the CPU time beyond that of one processor, as a share of that time, is for one amount of work 1.5 times that for another or more.",
			judge: depends(true),
		},
	}
)

// scale is the rows of one amount of work, from one processor on, in ascending order.
type scale struct {
	work int
	one  bench.Row
	more rows
}

// scales returns the rows of the paper's fib by the amount of work, for the amounts that there are
// rows of one processor and of several for.
func scales(part rows) []scale {
	var all []scale
	of := part.of("fib").variant("futures")
	for _, work := range of.values("work") {
		with := of.with("work", work)
		with = with.with(programs.Size, with[0].Size)
		one := with.on(1)
		if len(one) == 0 {
			continue
		}
		s := scale{work: work, one: one[0]}
		for _, n := range distinct(with, processors) {
			if n > 1 {
				s.more = append(s.more, with.on(n)[0])
			}
		}
		if len(s.more) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// most returns the row of the most processors.
func (s scale) most() bench.Row { return s.more[len(s.more)-1] }

// speedup returns how many times as fast as one processor a row is.
func (s scale) speedup(r bench.Row) float64 { return s.one.NsPerOp / r.NsPerOp }

// efficiency returns the speed-up as a share of the linear one.
func (s scale) efficiency(r bench.Row) float64 { return s.speedup(r) / float64(r.Processors) }

func nearLinear(part rows) finding {
	all := scales(part)
	if len(all) == 0 {
		return finding{}
	}
	s, worst := all[len(all)-1], 1.0
	for _, r := range s.more {
		worst = min(worst, s.efficiency(r))
	}
	r := s.most()
	return finding{grade(worst >= 0.9, worst >= 0.75), fmt.Sprintf("work %s: %s times on %s, %s of linear",
		precise(float64(s.work)), precise(s.speedup(r)), plural(r.Processors, "processor"), percent(s.efficiency(r)))}
}

func tailsOff(part rows) finding {
	const early = 8
	var numbers []string
	tails := 0
	for _, s := range scales(part) {
		at, r := s.more.on(early), s.most()
		if len(at) == 0 || r.Processors <= early {
			continue
		}
		before, after := s.efficiency(at[0]), s.efficiency(r)
		if after <= before-0.02 {
			tails++
		}
		numbers = append(numbers, fmt.Sprintf("work %s: %s on %d, %s on %d", precise(float64(s.work)), percent(before), early, percent(after), r.Processors))
	}
	if len(numbers) == 0 {
		return finding{}
	}
	return finding{grade(tails == len(numbers), tails > 0), "of linear, " + strings.Join(numbers, "; ")}
}

func moreWorkScales(part rows) finding {
	all := scales(part)
	if len(all) < 2 {
		return finding{}
	}
	everywhere, finally := true, true
	most := all[0].most().Processors
	var works, times []string
	for i, s := range all {
		works, times = append(works, precise(float64(s.work))), append(times, precise(s.speedup(s.most())))
		if i == 0 {
			continue
		}
		for _, r := range s.more {
			less := all[i-1].more.on(r.Processors)
			if len(less) == 0 {
				continue
			}
			holds := s.efficiency(r) >= 0.98*all[i-1].efficiency(less[0])
			everywhere = everywhere && holds
			finally = finally && (holds || r.Processors != most)
		}
	}
	first, end := all[0], all[len(all)-1]
	gains := end.speedup(end.most()) > first.speedup(first.most())
	return finding{
		grade(everywhere && gains, finally && gains),
		fmt.Sprintf("%s times on %s with work %s", list(times), plural(most, "processor"), list(works)),
	}
}

// extra returns the CPU time of a row beyond that of one processor, and the least and the greatest
// that it can be by the spread of the runs.
func (s scale) extra(r bench.Row) (middle, least, greatest float64) {
	return r.CPUNsPerOp - s.one.CPUNsPerOp,
		low(r.CPUNsMin, r.CPUNsPerOp) - max(s.one.CPUNsMax, s.one.CPUNsPerOp), max(r.CPUNsMax, r.CPUNsPerOp) - low(s.one.CPUNsMin, s.one.CPUNsPerOp)
}

// knowCPU reports whether all rows have a CPU time.
func knowCPU(all []scale) bool {
	for _, s := range all {
		for _, r := range append(rows{s.one}, s.more...) {
			if r.CPUNsPerOp <= 0 {
				return false
			}
		}
	}
	return len(all) > 0
}

// spread is said of numbers that decide nothing.
const spread = ", which the runs spread too widely to decide"

func timeIsLost(part rows) finding {
	all := scales(part)
	if !knowCPU(all) {
		return finding{}
	}
	var works, values []string
	always, finally, certain := true, true, true
	for _, s := range all {
		before := 0.0
		for _, r := range s.more {
			lost, least, greatest := s.extra(r)
			always = always && lost > before
			certain = certain && (least > 0 || greatest <= 0)
			before = lost
		}
		finally = finally && before > 0
		works, values = append(works, precise(float64(s.work))), append(values, precise(before))
	}
	f := finding{grade(always, finally), fmt.Sprintf("%s ns a call on %s with work %s", list(values), plural(all[0].most().Processors, "processor"), list(works))}
	if !certain {
		f.outcome, f.numbers = undecided, f.numbers+spread
	}
	return f
}

// depends returns the predicate that the lost time on the most processors, or its share of the time
// on one, depends on the amount of work.
func depends(share bool) func(rows) finding {
	return func(part rows) finding {
		all := scales(part)
		if !knowCPU(all) || len(all) < 2 {
			return finding{}
		}
		var works, values []string
		greatestLeast, leastGreatest := math.Inf(-1), math.Inf(1) // what is certain
		leastLeast, greatestGreatest := math.Inf(1), math.Inf(-1) // what is possible
		for _, s := range all {
			lost, least, greatest := s.extra(s.most())
			value := precise(lost)
			if share {
				least, greatest = least/s.one.CPUNsPerOp, greatest/s.one.CPUNsPerOp
				value = precise(100*lost/s.one.CPUNsPerOp) + "%"
			}
			greatestLeast, leastGreatest = max(greatestLeast, least), min(leastGreatest, greatest)
			leastLeast, greatestGreatest = min(leastLeast, least), max(greatestGreatest, greatest)
			works, values = append(works, precise(float64(s.work))), append(values, value)
		}
		unit := "ns a call"
		if share {
			unit = "of the CPU time on one"
		}
		f := finding{notReproduced, fmt.Sprintf("%s %s on %s with work %s", list(values), unit, plural(all[0].most().Processors, "processor"), list(works))}
		switch {
		case greatestLeast > 0 && greatestLeast >= 1.5*leastGreatest:
			f.outcome = reproduced
		case greatestGreatest > 0 && greatestGreatest >= 1.5*leastLeast:
			f.outcome, f.numbers = undecided, f.numbers+spread
		}
		return f
	}
}
