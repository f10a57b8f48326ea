package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// bar is the least speed-up of a program over one simulated processor.
type bar struct {
	processors int
	speedup    float64
}

// scaling is a program of one size with its bars.
type scaling struct {
	program, variant string
	values           map[string]int
	bars             []bar
}

// fullScalings are the bars of ADR 49, at the sizes that they are set for. `make speedups` holds
// the scheduler to them.
var fullScalings = []scaling{
	{"fib", "futures", map[string]int{"size": 28}, []bar{{16, 15.5}, {32, 30}, {64, 50}}},
	{"fib", "futures", map[string]int{"size": 24}, []bar{{64, 28}}},
	{"fib", "futures", map[string]int{"size": 26, "work": 1000}, []bar{{32, 30}, {64, 56}}},
	{"fib", "lazy", map[string]int{"size": 30}, []bar{{8, 7.7}, {32, 25}}},
	{"skynet", "futures", map[string]int{"size": 1_000_000}, []bar{{32, 29}}},
	{"skynet", "lazy", map[string]int{"size": 1_000_000}, []bar{{32, 25}}},
	{"bank", "units", map[string]int{"size": 200_000, "accounts": 1000, "work": 1000}, []bar{{8, 7.5}, {32, 15}}},
}

// shortScalings are the same programs at sizes that end within seconds, with bars a little below
// what is simulated now. The shorter a run, the more of it is waking.
var shortScalings = []scaling{
	{"fib", "futures", map[string]int{"size": 24}, []bar{{64, 28}}},
	{"fib", "futures", map[string]int{"size": 20, "work": 1000}, []bar{{32, 15}, {64, 19}}},
	{"fib", "lazy", map[string]int{"size": 25}, []bar{{8, 6.7}, {32, 13}}},
	{"skynet", "futures", map[string]int{"size": 100_000}, []bar{{32, 20}}},
	{"skynet", "lazy", map[string]int{"size": 100_000}, []bar{{32, 10}}},
	{"bank", "units", map[string]int{"size": 20_000, "accounts": 1000, "work": 1000}, []bar{{8, 6.3}, {32, 12}}},
}

// name says which program, of which size.
func (s scaling) name() string {
	text := fmt.Sprintf("%s/%s, %d", s.program, s.variant, s.values["size"])
	for _, param := range []string{"accounts", "work"} {
		if n := s.values[param]; n > 0 {
			text += fmt.Sprintf(", %s %d", param, n)
		}
	}
	return text
}

// speedups simulates the program on one processor and on those of the bars, by the repository's
// costs, and returns the speed-ups.
func (s scaling) speedups(t *testing.T) []float64 {
	t.Helper()
	known := repositoryCosts(t)
	known.Calibrating = func(name string) { t.Fatalf("the repository has no costs of %s", name) }
	all := catalogue.WithRivals()
	p := all[slices.Index(ProgramNames(all), s.program)]
	v, ok := p.Variant(s.variant)
	values, err := p.Values(true, s.values)
	if !ok || err != nil {
		t.Fatalf("%s: %v", s.name(), err)
	}
	run := func(processors int) float64 {
		r, err := known.Run(context.Background(), p, v, programs.Config{Processors: processors, Values: values})
		if err != nil {
			t.Fatal(err)
		}
		return float64(r.Elapsed)
	}
	one := run(1)
	var gained []float64
	for _, b := range s.bars {
		gained = append(gained, one/run(b.processors))
	}
	return gained
}

// TestSpeedups: simulated processors gain what they are to gain. The simulation is by the costs of
// the repository and in virtual time, so a failure is the doing of the scheduler or of the costs,
// and not of the machine. With FREERUN_SPEEDUPS=full the sizes and bars are those of ADR 49, and
// -update draws their table.
func TestSpeedups(t *testing.T) {
	full := os.Getenv("FREERUN_SPEEDUPS") == "full"
	scalings := shortScalings
	switch {
	case full:
		scalings = fullScalings
	case raced:
		scalings = scalings[len(scalings)-2:]
	}
	var table strings.Builder
	fmt.Fprint(&table, "| program, size | processors | bar | simulated | |\n| --- | ---: | ---: | ---: | --- |\n")
	for _, s := range scalings {
		for i, got := range s.speedups(t) {
			b, missed := s.bars[i], ""
			if got < b.speedup {
				missed = "missed"
				t.Errorf("%s: %d processors gain %.2f, want at least %g", s.name(), b.processors, got, b.speedup)
			}
			t.Logf("%s: %d processors gain %.2f, at least %g", s.name(), b.processors, got, b.speedup)
			fmt.Fprintf(&table, "| %s | %d | %g | %.1f | %s |\n", s.name(), b.processors, b.speedup, got, missed)
		}
	}
	if full {
		holdTable(t, "speedups", table.String(), "FREERUN_SPEEDUPS=full go test ./bench -run TestSpeedups -update")
	}
}

// TestPageHasTheSimulatedFigure: docs/simulation.md has the speed-ups of docs/simulation/fib.jsonl;
// -update draws them.
func TestPageHasTheSimulatedFigure(t *testing.T) {
	file, err := os.Open("../docs/simulation/fib.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := ReadRows(file, catalogue.WithRivals())
	if err != nil {
		t.Fatal(err)
	}
	var curves []string // variants with the amount of work, in order of appearance
	var counts []int
	times := make(map[string]map[int]float64)
	for _, r := range rows {
		name := r.Variant
		for _, p := range r.Params {
			name += fmt.Sprintf(", %s %d", p.Name, p.Value)
		}
		if times[name] == nil {
			times[name] = make(map[int]float64)
			curves = append(curves, name)
		}
		times[name][r.Processors] = r.NsPerOp
		if !slices.Contains(counts, r.Processors) {
			counts = append(counts, r.Processors)
		}
		if !r.Simulated || r.Origin.Date == "" || r.Origin.Machine == "" || !strings.Contains(r.Origin.Command, "docs/simulation/costs.json") {
			t.Errorf("%s on %d processors does not say that it is simulated, when, where, and by which costs: %+v", name, r.Processors, r.Origin)
		}
	}
	var w strings.Builder
	fmt.Fprintf(&w, "| processors | %s |\n| ---: |%s\n", strings.Join(curves, " | "), strings.Repeat(" ---: |", len(curves)))
	for _, n := range counts {
		if n == 1 {
			continue
		}
		fmt.Fprintf(&w, "| %d |", n)
		for _, name := range curves {
			fmt.Fprintf(&w, " %.2f |", times[name][1]/times[name][n])
		}
		fmt.Fprintln(&w)
	}
	holdTable(t, "fib.jsonl", w.String(), "go test ./bench -run TestPageHasTheSimulatedFigure -update")
}

// holdTable checks that docs/simulation.md has a table at the mark of that name. With -update it
// draws the table.
func holdTable(t *testing.T, mark, want, command string) {
	t.Helper()
	holdPart(t, simulationPage, mark, want, command)
}

// holdPart checks that a page has that text at the mark of that name. With -update it draws the
// text.
func holdPart(t *testing.T, page, mark, want, command string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), "<!-- "+mark+" -->\n")
	drawn, after, ends := strings.Cut(rest, "<!-- end -->")
	switch {
	case !begins || !ends:
		t.Fatalf("%s has no place for the text: <!-- %s --> … <!-- end -->", page, mark)
	case drawn == want:
	case !*update:
		t.Errorf("the text of %s at %s is not what it should be: %s draws it", page, mark, command)
	default:
		if err := os.WriteFile(page, []byte(before+"<!-- "+mark+" -->\n"+want+"<!-- end -->"+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
