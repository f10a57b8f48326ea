package bench

import (
	"slices"
	"strconv"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// question is one line of the summary: something that a user wants to do, the variant of freerun
// that does it, and the variant that a Go engineer would write first. unlike are other variants
// that do less, which are not compared with.
type question struct {
	asks    string // in a user's words; {name} stands for the value of a parameter
	program string
	variant string // freerun's
	plain   string // plain Go's
	unlike  []string
}

// questions are the lines of the summary. Each program has one, except those of notAsked.
var questions = []question{
	{"a message between two units", "pingpong", "units", "channels", nil},
	{"messages of 4 goroutines to one unit", "fanin", "units", "channels", nil},
	{"requests to a database of {servers} units", "ddb", "units", "channels", nil},
	{"a call to a unit while others are flooded", "hot", "units", "channels", nil},
	{"a transfer between two accounts", "bank", "units", "mutex", nil},
	{"fork and join (Fibonacci)", "fib", "join", "goroutines", nil},
	{"a tree of futures (Fibonacci)", "fib", "futures", "goroutines", nil},
	{"a tree of {size} small tasks", "skynet", "lazy", "goroutines", nil},
	{"empty tasks for a pool of workers", "submit", "tell", "goroutines", nil},
	{"a task a millisecond, its CPU time", "tick", "units", "goroutines", nil},
	{"tasks started {batch} at a time", "create", "activities", "goroutines", nil},
	{"{tasks} tasks that take turns", "switch", "activities", "goroutines", nil},
	{"a lock that {tasks} tasks share", "lock", "activities", "goroutines", nil},
	{"a matrix multiplied by {tasks} tasks", "matrix", "activities-tiled", "goroutines-tiled", nil},
	{"a chain of factories and stores", "city", "units", "goroutines", nil},
	{"a pipeline of filters", "eratosthenes", "units", "goroutines", nil},
	{"news read by {size} subscribers", "news", "units", "goroutines", nil},
	{"{pairs} producers, each with a consumer", "producer", "activities", "goroutines", nil},
	{"a token passed around by units", "tokenring", "units", "goroutines", nil},
	{"a token passed around by activities", "tokenring", "activities", "goroutines", nil},
	{"a queue, {producers} producers, {consumers} consumers", "queues", "mpmc", "channel", nil},
	{"a fair lock that {goroutines} goroutines want", "locks", "mcs", "mutex", nil},
	{"zeroed blocks outside of Go's heap", "alloc", "offheap-zero", "make", []string{"pool", "modernc"}},
	{"binary trees outside of Go's heap", "trees", "offheap", "make", nil},
	{"{size} records outside of Go's heap", "records", "offheap", "make", nil},
}

// notAsked are the programs of the catalogue that no question is about, with the reason.
var notAsked = map[string]string{
	"cas":        "a user of freerun does not choose between compare-and-swap and its like",
	"mandelbrot": "its time is that of the computation, with freerun or without; matrix is of the same kind",
}

// words returns the question with the values of a row's parameters.
func (q question) words(r Row) string {
	text := strings.ReplaceAll(q.asks, "{"+programs.Size+"}", thousands(r.Size))
	for _, p := range r.Params {
		text = strings.ReplaceAll(text, "{"+p.Name+"}", thousands(p.Value))
	}
	return text
}

// thousands writes a number with a comma before each third digit, from 10,000 on.
func thousands(n int) string {
	text := strconv.Itoa(n)
	if n < 10_000 {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// reply is the answer to a question by the rows of a run.
type reply struct {
	asks    string
	freerun Row
	plain   Row // without a program if it was not measured
	best    Row // the fastest variant without freerun; without a program if that is not known
	missing []string
	ratio   float64 // freerun's time as a multiple of the best one's
	low     float64 // the least ratio of two runs that followed each other
	high    float64 // the greatest
	verdict verdict
}

// verdict says whether freerun is the best choice for a question.
type verdict int

const (
	gain       verdict = iota // faster than all others, in every run
	even                      // faster in some runs, and slower in others
	lose                      // slower than the best one, in every run
	unanswered                // a variant to compare with was not measured
)

// replies answers the questions by rows that came from the plan, with that many processors. asked
// has the questions of which freerun's own row is missing.
func (p *Plan) replies(rows []Row, processors int) (answers []reply, asked []string) {
	groups := p.groups(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Processors != processors }))
	for _, q := range questions {
		if !slices.ContainsFunc(p.jobs, func(j job) bool { return j.program.Name == q.program }) {
			continue
		}
		found := false
		for _, g := range groups {
			i := slices.IndexFunc(g.rows, func(r Row) bool { return r.Program == q.program && r.Variant == q.variant })
			if i < 0 {
				continue
			}
			found = true
			g := g.without(q.unlike)
			a := reply{asks: q.words(g.rows[i]), freerun: g.rows[i], missing: g.missing, verdict: unanswered}
			if several := p.points(q.program); several > 1 && g.rows[i].Point != "" {
				a.asks += ", " + g.rows[i].Point
			}
			if k := slices.IndexFunc(g.rows, func(r Row) bool { return r.Variant == q.plain }); k >= 0 {
				a.plain = g.rows[k]
			}
			if g.rival >= 0 {
				a.best = g.rows[g.rival]
				a.ratio, a.low, a.high = against(a.freerun, a.best)
				a.verdict = judge(a.low, a.high)
			}
			answers = append(answers, a)
		}
		if !found {
			asked = append(asked, q.program)
		}
	}
	slices.SortStableFunc(answers, func(a, b reply) int {
		switch {
		case a.verdict != b.verdict:
			return int(a.verdict - b.verdict)
		case a.ratio < b.ratio:
			return -1
		case a.ratio > b.ratio:
			return 1
		}
		return 0
	})
	return answers, slices.Compact(asked)
}

// points returns the number of jobs of a program.
func (p *Plan) points(program string) int {
	n := 0
	for _, j := range p.jobs {
		if j.program.Name == program {
			n++
		}
	}
	return n
}

// against returns the ratio of the medians of two rows, and the least and the greatest ratio of two
// runs that were in the same turn. A machine that is slow for a while is so for both. The ratio of
// the medians lies between the two. Of rows that were read, whose runs are not known, the range is
// that of the least and the greatest times.
func against(a, b Row) (ratio, low, high float64) {
	ratio = a.NsPerOp / b.NsPerOp
	n := min(len(a.samples), len(b.samples))
	if n == 0 {
		return ratio, a.NsMin / b.NsMax, a.NsMax / b.NsMin
	}
	low, high = ratio, ratio // for an interrupted run, of which one row has a run more
	for i := range n {
		if b.samples[i] > 0 {
			low, high = min(low, a.samples[i]/b.samples[i]), max(high, a.samples[i]/b.samples[i])
		}
	}
	return ratio, low, high
}

// judge returns the verdict on a range of ratios.
func judge(low, high float64) verdict {
	switch {
	case high < 1:
		return gain
	case low > 1:
		return lose
	}
	return even
}
