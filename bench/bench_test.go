package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a program whose variants record their turns and return the times that the script lists.
type script struct {
	turns []string
	times map[string][]time.Duration
	wrong string // the variant that returns a wrong result
	seen  []int  // GOMAXPROCS at each turn
}

func (s *script) program() *programs.Program {
	p := &programs.Program{
		Name:      "script",
		Operation: "line",
		Params:    []programs.Param{{Name: programs.Size, Default: 7, Quick: 3, Max: 9}, {Name: "work", Default: 2, Max: 9}},
		Expected:  func(programs.Values) string { return "due" },
	}
	for _, v := range []programs.Variant{
		{Name: "units", Kind: programs.Freerun}, {Name: "channels", Kind: programs.PlainGo}, {Name: "mutex", Kind: programs.PlainGo},
	} {
		v.Run = func(cfg programs.Config) (programs.Result, error) {
			took := time.Microsecond
			if times := s.times[v.Name]; len(times) > 0 {
				took, s.times[v.Name] = times[0], times[1:]
			}
			s.turns = append(s.turns, v.Name)
			s.seen = append(s.seen, runtime.GOMAXPROCS(0))
			sum := "due"
			if v.Name == s.wrong {
				sum = "odd"
			}
			return programs.Result{
				Operations: 10, Elapsed: took, Allocs: 5, Checksum: sum,
				Figures: []programs.Figure{{Name: "took", Doc: "time it took", Value: float64(took)}},
			}, nil
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}

func run(t *testing.T, ctx context.Context, s *script, r Request) ([]Row, error) {
	t.Helper()
	plan, err := NewPlan([]*programs.Program{s.program()}, r)
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	steps := 0
	err = plan.Run(ctx, func(Step) { steps++ }, func(row Row) error { rows = append(rows, row); return nil })
	if steps != len(s.turns) {
		t.Errorf("%d steps announced, %d taken", steps, len(s.turns))
	}
	if err == nil && steps != plan.Measurements() {
		t.Errorf("%d steps taken, the plan has %d", steps, plan.Measurements())
	}
	return rows, err
}

func TestVariantsTakeTurns(t *testing.T) {
	s := &script{}
	before := runtime.GOMAXPROCS(0)
	rows, err := run(t, t.Context(), s, Request{Programs: []string{"script"}, Processors: []int{1, 3}, Runs: 2})
	if err != nil {
		t.Fatal(err)
	}
	round := []string{"units", "channels", "mutex", "units", "channels", "mutex"}
	if want := slices.Concat(round, round); !slices.Equal(s.turns, want) {
		t.Errorf("turns %v, want %v", s.turns, want)
	}
	if want := []int{1, 1, 1, 3, 3, 3, 1, 1, 1, 3, 3, 3}; !slices.Equal(s.seen, want) {
		t.Errorf("GOMAXPROCS %v, want %v", s.seen, want)
	}
	if now := runtime.GOMAXPROCS(0); now != before {
		t.Errorf("GOMAXPROCS is %d afterwards, was %d", now, before)
	}
	if len(rows) != 6 || rows[0].Size != 7 || rows[0].Runs != 2 || rows[5].Processors != 3 || rows[5].Variant != "mutex" {
		t.Errorf("rows %+v", rows)
	}
}

func TestMedianAndItsFigures(t *testing.T) {
	s := &script{times: map[string][]time.Duration{"units": {900, 100, 300, 200, 800}}}
	rows, err := run(t, t.Context(), s, Request{Variants: []string{"units"}, Runs: 5})
	if err != nil {
		t.Fatal(err)
	}
	r := rows[0]
	if r.NsPerOp != 30 || r.NsMin != 10 || r.NsMax != 90 || r.AllocsPerOp != 0.5 {
		t.Errorf("median %v, least %v, greatest %v, allocations %v; want 30, 10, 90, 0.5", r.NsPerOp, r.NsMin, r.NsMax, r.AllocsPerOp)
	}
	if r.Figures[0].Value != float64(300) {
		t.Errorf("the figures are those of the run that took %v, want the median run of 300", r.Figures[0].Value)
	}
	if r.Size != 3 {
		t.Errorf("size %d, want the reduced 3 when no program is named", r.Size)
	}
}

func TestMedianOfAnEvenNumber(t *testing.T) {
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median %v, want 2.5", m)
	}
}

func TestWrongResultIsAnErrorAndNoFigure(t *testing.T) {
	s := &script{wrong: "channels"}
	rows, err := run(t, t.Context(), s, Request{Runs: 3})
	var wrong *programs.WrongResultError
	if !errors.As(err, &wrong) || wrong.Variant != "channels" {
		t.Fatalf("error %v, want a *WrongResultError of channels", err)
	}
	for _, r := range rows {
		if r.Variant == "channels" {
			t.Errorf("a figure is reported for the variant that went wrong: %+v", r)
		}
	}
}

func TestInterruptHandsOutWhatThereIs(t *testing.T) {
	s := &script{}
	ctx, cancel := context.WithCancel(t.Context())
	plan, err := NewPlan([]*programs.Program{s.program()}, Request{Runs: 3})
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	steps := 0
	err = plan.Run(ctx, func(Step) {
		if steps++; steps == 5 {
			cancel()
		}
	}, func(r Row) error { rows = append(rows, r); return nil })
	if !errors.Is(err, ErrInterrupted) {
		t.Fatalf("error %v, want ErrInterrupted", err)
	}
	var runs []int
	for _, r := range rows {
		runs = append(runs, r.Runs)
	}
	if !slices.Equal(runs, []int{2, 2, 1}) {
		t.Errorf("runs per row %v, want [2 2 1]", runs)
	}
}

func TestRowsThatCannotBeWrittenEndTheRun(t *testing.T) {
	full := errors.New("disk full")
	plan, err := NewPlan([]*programs.Program{(&script{}).program()}, Request{Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Run(t.Context(), nil, func(Row) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

func TestJSONKeepsItsOrder(t *testing.T) {
	row := Row{
		Program: "fib", Variant: "futures", Processors: 1, Size: 30, Operations: 2692537, NsPerOp: 81.23456,
		NsMin: 80, NsMax: 83.5, AllocsPerOp: 1.5, Checksum: "832040", Runs: 5,
		Params:  []Setting{{"work", 0}},
		Figures: []programs.Figure{{Name: "steals", Value: []uint64{1, 2}}},
	}
	got, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"program":"fib","variant":"futures","processors":1,"size":30,"operations":2692537,"ns_per_op":81.235,` +
		`"ns_min":80,"ns_max":83.5,"allocs_per_op":1.5,"checksum":"832040","runs":5,"work":0,"steals":[1,2]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCatalogue runs all programs and variants, at the smallest sizes.
func TestCatalogue(t *testing.T) {
	var smallest []string
	for _, p := range catalogue.WithRivals() {
		if p.Params[0].Name != programs.Size || p.Params[0].Min < 10 {
			t.Errorf("%s: the first parameter is %+v, want a size of at least 10", p.Name, p.Params[0])
		}
		for i, v := range p.Variants {
			if slices.ContainsFunc(p.Variants[:i], func(w programs.Variant) bool { return w.Name == v.Name }) {
				t.Errorf("%s has two variants %s", p.Name, v.Name)
			}
		}
		smallest = append(smallest, fmt.Sprintf("%s.size=%d", p.Name, p.Params[0].Min))
	}
	plan, err := NewPlan(catalogue.WithRivals(), Request{Runs: 1, Processors: []int{1, 2}, Params: smallest, Rivals: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	err = plan.Run(t.Context(), nil, func(r Row) error {
		seen[r.Program]++
		if r.NsPerOp <= 0 || r.NsMin > r.NsPerOp || r.NsMax < r.NsPerOp {
			t.Errorf("implausible times: %+v", r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for _, j := range plan.jobs {
		want[j.program.Name] += 2 * len(j.variants)
	}
	for _, p := range catalogue.WithRivals() {
		if seen[p.Name] != want[p.Name] || seen[p.Name] == 0 {
			t.Errorf("%s: %d rows, want %d", p.Name, seen[p.Name], want[p.Name])
		}
	}
}
