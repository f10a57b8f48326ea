package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/programs"
)

// sampleRows are rows of the program that [samplePlan] measures. It has two plain-Go variants; the
// mutex is the faster one.
var sampleRows = []Row{
	{Program: "p", Variant: "serial", Kind: programs.Baseline, Processors: 1, NsPerOp: 1, Runs: 3},
	{
		Program: "p", Variant: "units", Kind: programs.Freerun, Processors: 1, NsPerOp: 50, Runs: 3,
		Figures: []programs.Figure{
			{Name: "messages", Doc: "messages of each", Value: []uint64{7, 8}},
			{Name: "steals", Doc: "raids", Value: []uint64{793, 3035}, Labels: []string{"raids", "tasks taken"}},
		},
	},
	{Program: "p", Variant: "channels", Kind: programs.PlainGo, Processors: 1, NsPerOp: 200, Runs: 3},
	{Program: "p", Variant: "mutex", Kind: programs.PlainGo, Processors: 1, NsPerOp: 100, Runs: 3},
}

func samplePlan(processors ...int) *Plan {
	p := &programs.Program{Name: "p"}
	for _, r := range sampleRows {
		p.Variants = append(p.Variants, programs.Variant{Name: r.Variant, Kind: r.Kind})
	}
	return &Plan{jobs: []job{{program: p, variants: p.Variants, all: p.Variants}}, processors: processors, runs: 3}
}

// tableOf returns the table, and the words of the columns from "ratio" on, by variant and
// processors ("units 1").
func tableOf(t *testing.T, p *Plan, rows []Row) (string, map[string]string) {
	t.Helper()
	var out strings.Builder
	if err := p.WriteTable(&out, rows); err != nil {
		t.Fatal(err)
	}
	ratios := make(map[string]string)
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); len(f) > 7 && f[0] == "p" {
			ratios[f[1]+" "+f[2]] = strings.Join(f[8:], " ")
		}
	}
	return out.String(), ratios
}

func without(rows []Row, variant string) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Variant == variant })
}

func TestTableMarksTheRival(t *testing.T) {
	out, ratios := tableOf(t, samplePlan(1), sampleRows)
	for variant, want := range map[string]string{"serial 1": "", "units 1": "0.50", "channels 1": "2.00", "mutex 1": "1.00 *"} {
		if got, ok := ratios[variant]; !ok || got != want {
			t.Errorf("%s ends in %q, want %q, in\n%s", variant, got, want, out)
		}
	}
	for _, line := range []string{
		"* the fastest variant without freerun; the ratios are to it. ns/op is the median of 3 runs.\n",
		"serial is a baseline: no concurrency, not compared.\n",
		"  messages of each: 7 8\n",
		"  raids: 793, tasks taken: 3035\n",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is missing in\n%s", line, out)
		}
	}
	for _, word := range []string{"no ratio", "reduced"} {
		if strings.Contains(out, word) {
			t.Errorf("%q stands in\n%s", word, out)
		}
	}
}

// TestTableWithoutARival leaves out the fastest plain-Go variant. The next best must not count as
// the best.
func TestTableWithoutARival(t *testing.T) {
	out, ratios := tableOf(t, samplePlan(1), without(without(sampleRows, "mutex"), "serial"))
	if ratios["units 1"] != "" || ratios["channels 1"] != "" {
		t.Errorf("ratios %v without the rival in\n%s", ratios, out)
	}
	if !strings.Contains(out, "no ratio for p: mutex was not measured.\n") {
		t.Errorf("it does not say why there is no ratio:\n%s", out)
	}
	for _, word := range []string{"*", "ratios are", "baseline"} {
		if strings.Contains(out, word) {
			t.Errorf("%q in the legend explains nothing in\n%s", word, out)
		}
	}
	out, _ = tableOf(t, samplePlan(1), without(without(sampleRows, "mutex"), "channels"))
	if !strings.Contains(out, "no ratio for p: channels and mutex were not measured.\n") {
		t.Errorf("it does not name both variants:\n%s", out)
	}
}

// TestTableOfAnInterruptedRun has all variants with one number of processors, and some variants
// with two others.
func TestTableOfAnInterruptedRun(t *testing.T) {
	rows := slices.Clone(sampleRows)
	for _, n := range []int{2, 4} {
		for _, r := range without(sampleRows, "mutex") {
			r.Processors, r.Runs = n, 2
			rows = append(rows, r)
		}
	}
	out, ratios := tableOf(t, samplePlan(1, 2, 4), rows)
	if ratios["units 1"] != "0.50" || ratios["units 2"] != "" || ratios["units 4"] != "" {
		t.Errorf("ratios %v, want one for units with 1 processor only, in\n%s", ratios, out)
	}
	for _, line := range []string{"no ratio for p with 2, 4 processors: mutex was not measured.\n", "the median of 2 to 3 runs.\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is missing in\n%s", line, out)
		}
	}
}

func TestTableSaysThatSizesAreReduced(t *testing.T) {
	const hint = "reduced sizes: for figures run the program by name, such as freerun bench script\n"
	for name, c := range map[string]struct {
		request Request
		want    bool
	}{
		"all programs": {Request{}, true},
		"quick":        {Request{Programs: []string{"script"}, Quick: true}, true},
		"by name":      {Request{Programs: []string{"script"}}, false},
		"sized":        {Request{Params: []string{"script.size=5"}}, false},
	} {
		plan, err := NewPlan([]*programs.Program{(&script{}).program()}, c.request)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := tableOf(t, plan, []Row{{Program: "script", Variant: "units", Kind: programs.Freerun, Processors: 1, Runs: 1}})
		if strings.Contains(out, hint) != c.want {
			t.Errorf("%s: the hint at full sizes is there: %v, want %v, in\n%s", name, !c.want, c.want, out)
		}
	}
}

func TestManyNumbersAreCutShort(t *testing.T) {
	all := make([]uint64, 20)
	for i := range all {
		all[i] = uint64(i)
	}
	for n, want := range map[int]string{
		0:  "",
		16: "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
		20: "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 … and 4 more",
	} {
		if got := numbers(all[:n]); got != want {
			t.Errorf("%d numbers: %q, want %q", n, got, want)
		}
	}
}
