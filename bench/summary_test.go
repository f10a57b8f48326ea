package bench

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// overview is the plan of `freerun bench`, with rows as if it had been carried out: each variant
// has a time of its own.
func overview(t *testing.T, r Request) (*Plan, []Row) {
	t.Helper()
	if r.Processors == nil {
		r.Processors = []int{2}
	}
	n := 0
	r.Runner = func(_ context.Context, _ *programs.Program, v programs.Variant, _ programs.Config) (programs.Result, error) {
		n = (n*31 + len(v.Name)) % 997
		return programs.Result{Operations: 1, Elapsed: time.Duration(300 + n), Checksum: "x"}, nil
	}
	plan, err := NewPlan(catalogue.WithRivals(), r)
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	if err := plan.Run(t.Context(), nil, func(row Row) error {
		row.Origin = Origin{Machine: "64 × Some(R) Processor(R) of a Make(R) with a long name @ 2.60GHz, 1024 GiB", Go: "go1.26.8", Commit: "0123456789ab-modified"}
		rows = append(rows, row)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return plan, rows
}

func summary(t *testing.T, p *Plan, rows []Row, width int) string {
	t.Helper()
	var out strings.Builder
	if err := p.WriteSummary(&out, rows, width); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// widest returns the length of the longest line.
func widest(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n = max(n, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return n
}

// TestSummaryFits: the summary of all programs has at most 40 lines, on paper and in terminals of
// usual widths, and no line is wider than the terminal. Each question is there.
func TestSummaryFits(t *testing.T) {
	plan, rows := overview(t, Request{Rivals: true})
	for _, width := range []int{0, 72, 80, 100, 120, 200} {
		out := summary(t, plan, rows, width)
		if n := strings.Count(out, "\n"); n > 40 {
			t.Errorf("%d lines at a width of %d, want at most 40:\n%s", n, width, out)
		}
		if w := widest(out); width > 0 && w > width {
			t.Errorf("a line has %d letters at a width of %d:\n%s", w, width, out)
		}
		for _, q := range questions {
			word, _, _ := strings.Cut(q.asks, "{")
			if !strings.Contains(out, word) {
				t.Errorf("%q is missing at a width of %d:\n%s", q.asks, width, out)
			}
		}
		if strings.Contains(out, "?") || strings.Contains(out, "{") || strings.Contains(out, "  \n") {
			t.Errorf("at a width of %d something is not known, or ends in spaces:\n%s", width, out)
		}
	}
	for _, width := range []int{60, 40} {
		if out := summary(t, plan, rows, width); widest(out) > width || !strings.Contains(out, "…") && width < 60 {
			t.Errorf("a width of %d:\n%s", width, out)
		}
	}
	for _, width := range []int{20, 1} { // none fits: what matters is there
		if out := summary(t, plan, rows, width); strings.Count(out, "\n") < len(questions) || !strings.Contains(out, "freerun") || !strings.Contains(out, "ratio") {
			t.Errorf("a width of %d:\n%s", width, out)
		}
	}
}

// TestSummaryLosesColumns: a narrower terminal loses the names of variants first, then the range,
// then plain Go. The times and the ratio stay.
func TestSummaryLosesColumns(t *testing.T) {
	plan, rows := overview(t, Request{Rivals: true})
	for _, of := range []struct {
		width                int
		names, spread, plain bool
	}{{0, true, true, true}, {150, true, true, true}, {95, false, true, true}, {80, false, false, true}, {66, false, false, false}, {40, false, false, false}} {
		out := summary(t, plan, rows, of.width)
		header := strings.Split(out, "\n\n")[0]
		if i := strings.Index(out, "ratio"); i >= 0 {
			header = out[strings.LastIndex(out[:i], "\n")+1:]
			header, _, _ = strings.Cut(header, "\n")
		}
		if strings.Contains(out, " goroutines\n") || strings.Contains(out, "ns goroutines") != of.names ||
			strings.Contains(header, "range") != of.spread || strings.Contains(header, "plain Go") != of.plain || !strings.Contains(header, "best other") {
			t.Errorf("a width of %d, want names %v, the range %v, plain Go %v:\n%s", of.width, of.names, of.spread, of.plain, out)
		}
	}
}

// TestQuestionsAreOfTheCatalogue: each program has a question or a reason to have none, and the
// variants are of the kinds that the columns say.
func TestQuestionsAreOfTheCatalogue(t *testing.T) {
	for _, p := range catalogue.WithRivals() {
		asked := 0
		for _, q := range questions {
			if q.program != p.Name {
				continue
			}
			asked++
			for name, kind := range map[string]programs.Kind{q.variant: programs.Freerun, q.plain: programs.PlainGo} {
				if v, ok := p.Variant(name); !ok || v.Kind != kind {
					t.Errorf("%q: %s/%s is of the kind %v, want %v", q.asks, p.Name, name, v.Kind, kind)
				}
			}
		}
		for _, q := range questions {
			for _, name := range q.unlike {
				if v, ok := p.Variant(name); q.program == p.Name && (!ok || !v.Kind.Compared() || name == q.plain) {
					t.Errorf("%q: %s/%s is none to be left out", q.asks, p.Name, name)
				}
			}
		}
		if _, left := notAsked[p.Name]; left == (asked > 0) {
			t.Errorf("%s: %d questions, and left out: %v", p.Name, asked, left)
		}
	}
	names := ProgramNames(catalogue.WithRivals())
	for _, q := range questions {
		if !slices.Contains(names, q.program) {
			t.Errorf("%q: there is no program %s", q.asks, q.program)
		}
	}
}

// asked returns a plan of three programs that questions are about, and rows with the runs given:
// freerun's, plain Go's, and a rival's, each of a program.
func asked(times map[string][3][]float64) (*Plan, []Row) {
	variants := map[string][2]string{"pingpong": {"units", "channels"}, "submit": {"tell", "goroutines"}, "bank": {"units", "mutex"}}
	plan := &Plan{processors: []int{2}, runs: 3}
	var rows []Row
	for _, name := range []string{"pingpong", "submit", "bank"} {
		p := &programs.Program{Name: name}
		for i, v := range []programs.Variant{
			{Name: variants[name][0], Kind: programs.Freerun}, {Name: variants[name][1], Kind: programs.PlainGo}, {Name: "pool", Kind: programs.Rival},
		} {
			samples := times[name][i]
			if samples == nil {
				continue
			}
			p.Variants = append(p.Variants, v)
			if len(samples) > 0 {
				rows = append(rows, Row{
					Program: name, Variant: v.Name, Kind: v.Kind, Processors: 2, Runs: len(samples), samples: samples,
					NsPerOp: median(samples), NsMin: slices.Min(samples), NsMax: slices.Max(samples),
				})
			}
		}
		if len(p.Variants) > 0 {
			plan.jobs = append(plan.jobs, job{program: p, variants: p.Variants, all: p.Variants})
		}
	}
	return plan, rows
}

// TestSummaryAnswers: gains come first, then what cannot be told apart, then losses, each in the
// order of the ratios; and the best one without freerun may be a library.
func TestSummaryAnswers(t *testing.T) {
	plan, rows := asked(map[string][3][]float64{
		"bank":     {{40, 40, 40}, {100, 80, 120}, {1000, 1000, 1000}}, // 0.4, 0.33 to 0.5
		"submit":   {{100, 100, 100}, {500, 400, 500}, {25, 20, 50}},   // 4, 2 to 5
		"pingpong": {{100, 300, 90}, {200, 290, 100}, nil},             // 0.5, 1.03, 0.9
	})
	out := summary(t, plan, rows, 0)
	want := []string{
		"freerun    plain Go", "You gain:", "a transfer between two accounts", "0.40   0.33 to 0.50",
		"Neither:", "a message between two units", "the same", "0.50   0.50 to 1.03",
		"You lose:", "empty tasks for a pool of workers", "500 ns goroutines", "25 ns pool", "4.00   2.00 to 5.00",
		"Gains: 1, losses: 1, neither: 1.", "the median of 3 runs",
	}
	rest := strings.Join(strings.Fields(out), " ")
	for _, words := range want {
		_, after, ok := strings.Cut(rest, strings.Join(strings.Fields(words), " "))
		if !ok {
			t.Fatalf("%q is missing, or in another place, in\n%s", words, out)
		}
		rest = after
	}
}

// TestSummaryWithoutARival: where a variant to compare with was not measured, the summary gives no
// ratio, and says which is missing.
func TestSummaryWithoutARival(t *testing.T) {
	plan, rows := asked(map[string][3][]float64{
		"bank":     {{40, 40, 40}, {100, 80, 120}, {}},
		"submit":   {{}, {500, 400, 500}, {25, 20, 50}},
		"pingpong": {{100, 300, 90}, {}, nil},
	})
	out := summary(t, plan, rows, 0)
	for _, line := range []string{"Not compared\n", "without pool\n", "without channels\n", "Not measured: submit.\n", "Gains: 0, losses: 0, neither: 0."} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is missing in\n%s", line, out)
		}
	}
	if strings.Contains(out, "You ") || strings.Contains(out, "0.40") || strings.Contains(out, "the same") {
		t.Errorf("it compares with the best of some:\n%s", out)
	}
	plan, rows = overview(t, Request{})
	if out := summary(t, plan, rows, 0); !strings.Contains(out, "Without other libraries: submit, queues, alloc") || !strings.HasPrefix(out, "freerun beside plain Go, ") {
		t.Errorf("it does not say that there are no libraries beside:\n%s", out)
	}
	if out := summary(t, plan, rows[:0], 0); out != "" {
		t.Errorf("of no rows: %q", out)
	}
	if out := summary(t, plan, rows[:1], 0); !strings.Contains(out, "allocs/op") {
		t.Errorf("rows that answer nothing are not in a table:\n%s", out)
	}
}

// TestSummaryComparesLikeWithLike: zeroed blocks are not compared with blocks that come as they
// are, whether those are faster or were not measured.
func TestSummaryComparesLikeWithLike(t *testing.T) {
	plan := &Plan{processors: []int{2}, runs: 1}
	alloc := &programs.Program{Name: "alloc"}
	var rows []Row
	for _, v := range []struct {
		name string
		kind programs.Kind
		ns   float64
	}{{"offheap-zero", programs.Freerun, 40}, {"make", programs.PlainGo, 80}, {"modernc-zero", programs.Rival, 50}, {"modernc", programs.Rival, 5}, {"pool", programs.PlainGo, 0}} {
		alloc.Variants = append(alloc.Variants, programs.Variant{Name: v.name, Kind: v.kind})
		if v.ns > 0 {
			rows = append(rows, Row{Program: "alloc", Variant: v.name, Kind: v.kind, Processors: 2, Runs: 1, NsPerOp: v.ns, NsMin: v.ns, NsMax: v.ns})
		}
	}
	plan.jobs = []job{{program: alloc, variants: alloc.Variants, all: alloc.Variants}}
	if out := summary(t, plan, rows, 0); !strings.Contains(out, "50 ns modernc-zero") || !strings.Contains(out, "0.80") || strings.Contains(out, "without") {
		t.Errorf("zeroed blocks are not compared with the faster of the two that zero:\n%s", out)
	}
	if out := summary(t, plan, rows[:2], 0); !strings.Contains(out, "without modernc-zero\n") {
		t.Errorf("it does not say what is missing:\n%s", out)
	}
}

// TestSummaryOfSeveralProcessors: the greatest number of processors counts, and the summary says
// where the others are.
func TestSummaryOfSeveralProcessors(t *testing.T) {
	plan, rows := overview(t, Request{Rivals: true, Processors: []int{1, 2}, Params: []string{"fib.work=0,100"}})
	out := summary(t, plan, rows, 0)
	for _, words := range []string{"on 2 processors", "number of processors", "fork and join (Fibonacci), work=0", "fork and join (Fibonacci), work=100"} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is missing in\n%s", words, out)
		}
	}
	if n := strings.Count(out, "fork and join"); n != 2 {
		t.Errorf("%d lines of fib, want 2:\n%s", n, out)
	}
}

// TestRatiosOfRows: the range is of runs in the same turn; of rows that were read, it is that of
// the least and the greatest times.
func TestRatiosOfRows(t *testing.T) {
	a := Row{NsPerOp: 20, NsMin: 10, NsMax: 40, samples: []float64{10, 20, 40}}
	b := Row{NsPerOp: 40, NsMin: 20, NsMax: 80, samples: []float64{20, 40, 80}}
	if ratio, low, high := against(a, b); ratio != 0.5 || low != 0.5 || high != 0.5 {
		t.Errorf("%v, %v to %v, want 0.5 throughout", ratio, low, high)
	}
	b.samples = nil
	if ratio, low, high := against(a, b); ratio != 0.5 || low != 0.125 || high != 2 {
		t.Errorf("%v, %v to %v, want 0.5, 0.125 to 2", ratio, low, high)
	}
}

func TestDurations(t *testing.T) {
	for ns, want := range map[float64]string{
		0.5: "0.5 ns", 9.99: "10.0 ns", 9.996: "10 ns", 278.9: "279 ns", 2585: "2585 ns", 47_069: "47 µs", 1.5e7: "15 ms", 2e10: "20.0 s", 9999.6: "10 µs",
	} {
		if got := duration(ns); got != want {
			t.Errorf("%v: %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[int]string{64: "64", 1000: "1000", 10_000: "10,000", 1_234_567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
