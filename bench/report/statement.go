package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/bench"
)

// outcome says whether a paper's statement holds here.
type outcome int

const (
	undecided     outcome = iota // the rows do not suffice
	notReproduced                // it does not hold
	partly                       // it holds in a weaker form, or in some of the rows
	reproduced                   // it holds
)

// String returns the outcome as the page writes it.
func (o outcome) String() string {
	return [...]string{"not decided", "not reproduced", "partly", "reproduced"}[o]
}

// Class returns the outcome's class in the page's style sheet.
func (o outcome) Class() string { return strings.ReplaceAll(o.String(), " ", "-") }

// finding is the outcome of a statement by some rows, with the numbers that decide it.
type finding struct {
	outcome outcome
	numbers string
}

// statement is what a paper says about one of its figures, in words of our own, with a predicate
// that decides whether it holds. The predicates are ours, as the paper prints no numbers.
type statement struct {
	says  string // the statement
	test  string // when it counts as reproduced, and when as partly reproduced
	judge func(part rows) finding
}

// verdict is the outcome of a statement for a run.
type verdict struct {
	Says, Test          string
	Outcome             outcome
	Simulated, Measured string // the numbers that decide; "" where there are none
}

// verdict decides a statement by the simulated rows and by the measured ones, each apart. If the
// two differ, the statement is partly reproduced.
func (s statement) verdict(all rows) verdict {
	simulated, measured := s.judge(all.simulated()), s.judge(all.real())
	v := verdict{Says: s.says, Test: s.test, Simulated: simulated.numbers, Measured: measured.numbers, Outcome: simulated.outcome}
	switch {
	case v.Outcome == undecided:
		v.Outcome = measured.outcome
	case measured.outcome != undecided && measured.outcome != v.Outcome:
		v.Outcome = partly
	}
	return v
}

// verdicts returns the verdict of each statement that a figure makes.
func (f figure) verdicts(all rows) []verdict {
	var made []verdict
	for _, s := range f.statements {
		made = append(made, s.verdict(all))
	}
	return made
}

// grade returns reproduced if whole holds, partly if only some does.
func grade(whole, some bool) outcome {
	switch {
	case whole:
		return reproduced
	case some:
		return partly
	}
	return notReproduced
}

// list writes several numbers, or several texts, with what they are of.
func list(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}

// span writes the least and the greatest of several numbers.
func span(values []float64) string {
	least, greatest := slices.Min(values), slices.Max(values)
	if least == greatest {
		return precise(least)
	}
	return precise(least) + " to " + precise(greatest)
}

// percent writes a share.
func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

// last returns the row with the most processors, up to a limit, and whether there is one with
// several.
func (all rows) last(limit int) (bench.Row, bool) {
	var most bench.Row
	for _, r := range all {
		if r.Processors > max(most.Processors, 1) && r.Processors <= limit {
			most = r
		}
	}
	return most, most.Processors > 1
}
