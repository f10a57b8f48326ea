package bench

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// simulated carries out a request on a simulator and returns its rows.
func simulated(t *testing.T, s *Simulator, r Request) []Row {
	t.Helper()
	r.Simulator, r.Runs = s, 1
	plan, err := NewPlan(catalogue.WithRivals(), r)
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	if err := plan.Run(t.Context(), nil, func(r Row) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestSimulatedPrograms simulates all programs that can be simulated, twice by the same costs.
// Every result is right, and the rows are the same.
func TestSimulatedPrograms(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	smallest := []string{
		"fib.size=12", "ddb.size=20", "bank.size=100", "skynet.size=1000", "matrix.size=20", "mandelbrot.size=20",
		"pingpong.size=100", "tokenring.size=10", "bank.work=0", "matrix.tasks=4",
	}
	var names []string
	for _, p := range catalogue.WithRivals() {
		if slices.ContainsFunc(p.Variants, func(v programs.Variant) bool { return v.Simulable }) {
			names = append(names, p.Name)
		}
	}
	if len(names) < 6 {
		t.Fatalf("only %v can be simulated", names)
	}
	request := Request{Programs: names, Params: smallest, Processors: []int{1, 5}, Quick: true}
	first, err := NewSimulator(nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := simulated(t, first, request)
	if !first.Fresh() {
		t.Error("the costs are said to be known before")
	}
	var text bytes.Buffer
	if err := first.WriteCosts(&text); err != nil {
		t.Fatal(err)
	}
	second, err := NewSimulator(&text)
	if err != nil {
		t.Fatal(err)
	}
	again := simulated(t, second, request)
	if second.Fresh() {
		t.Error("known costs were measured again")
	}
	if len(rows) < 2*len(names) || !reflect.DeepEqual(rows, again) {
		t.Errorf("by the same costs %d rows, and then %d", len(rows), len(again))
		for i := range min(len(rows), len(again)) {
			if !reflect.DeepEqual(rows[i], again[i]) {
				t.Errorf("%+v, and then %+v", rows[i], again[i])
			}
		}
	}
	for _, r := range rows {
		if !r.Simulated || r.NsPerOp <= 0 || r.CPUNsPerOp <= 0 {
			t.Errorf("%+v", r)
		}
		for _, name := range []string{"messages_per_processor", "busy_percent"} {
			i := slices.IndexFunc(r.Figures, func(f programs.Figure) bool { return f.Name == name })
			if i < 0 || len(r.Figures[i].Value.([]uint64)) != r.Processors {
				t.Errorf("%s/%s on %d processors: %s in %+v", r.Program, r.Variant, r.Processors, name, r.Figures)
			}
		}
	}
	if now := runtime.GOMAXPROCS(0); now != before {
		t.Errorf("GOMAXPROCS was %d, and is %d", before, now)
	}
}

// TestSecondModel simulates programs of forks and of messages by the second model, twice by the
// same costs.
func TestSecondModel(t *testing.T) {
	request := Request{Programs: []string{"fib"}, Params: []string{"fib.size=12"}, Processors: []int{1, 4}, Quick: true}
	s := &Simulator{Model: 2}
	rows, again := simulated(t, s, request), simulated(t, s, request)
	if len(rows) != 8 || !reflect.DeepEqual(rows, again) {
		t.Errorf("by the same costs %+v, and then %+v", rows, again)
	}
	for _, r := range rows {
		if !r.Simulated || r.NsPerOp <= 0 {
			t.Errorf("%+v", r)
		}
	}
}

// TestGoroutinesOutside simulates the programs whose goroutines outside send and wait, twice by the
// same costs.
func TestGoroutinesOutside(t *testing.T) {
	request := Request{
		Programs: []string{"fanin", "submit", "hot"}, Variants: []string{"units", "tell", "futures"}, Processors: []int{1, 4}, Quick: true,
		Params: []string{"fanin.size=1000", "submit.size=1000", "hot.size=20", "hot.pause=0", "hot.depth=100"},
	}
	s := &Simulator{Model: 2}
	rows, again := simulated(t, s, request), simulated(t, s, request)
	if len(rows) != 8 || !reflect.DeepEqual(rows, again) {
		t.Errorf("by the same costs %+v, and then %+v", rows, again)
	}
	for _, r := range rows {
		if !r.Simulated || r.NsPerOp <= 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, c := range s.costs {
		if want := map[string]int{"fanin": 4, "submit": 1, "hot": 4}[strings.Split(c.Program, "/")[0]]; c.Outside != want {
			t.Errorf("%s has %d goroutines outside, want %d", c.Program, c.Outside, want)
		}
	}
}

func TestNotSimulable(t *testing.T) {
	for _, of := range []struct {
		request Request
		says    string
	}{
		{Request{Programs: []string{"locks"}}, "locks cannot be simulated: only operations"},
		{Request{Programs: []string{"fanin"}}, "fanin cannot be simulated by the first model (--model 2 can)"},
		{Request{Programs: []string{"fib"}, Variants: []string{"join"}}, "fib/join cannot be simulated by the first model (--model 2 can); of fib can be: futures, lazy"},
		{Request{Programs: []string{"fib"}, Processors: []int{4, 0}}, "must be from 1 to 1024"},
	} {
		of.request.Simulator = new(Simulator)
		_, err := NewPlan(catalogue.WithRivals(), of.request)
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), of.says) {
			t.Errorf("%+v: %v, want a UsageError that says %q", of.request, err, of.says)
		}
	}
	forks := Request{Programs: []string{"fib"}, Variants: []string{"join"}, Simulator: &Simulator{Model: 2}}
	if _, err := NewPlan(catalogue.WithRivals(), forks); err != nil {
		t.Errorf("fib/join by the second model: %v", err)
	}
	for _, text := range []string{"none", "{}", `[{"program": "fib/futures work=0"}]`} {
		var usage *UsageError
		if _, err := NewSimulator(strings.NewReader(text)); !errors.As(err, &usage) || !strings.Contains(err.Error(), "calibration") {
			t.Errorf("costs %q: %v", text, err)
		}
	}
	hot, _ := catalogue.WithRivals()[slices.Index(ProgramNames(catalogue.WithRivals()), "hot")].Variant("units")
	p := catalogue.WithRivals()[slices.Index(ProgramNames(catalogue.WithRivals()), "hot")]
	values, err := p.Values(true, map[string]int{programs.Size: 10, "depth": 10, "pause": 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := new(Simulator).Run(context.Background(), p, hot, programs.Config{Processors: 2, Values: values}); err == nil || !strings.Contains(err.Error(), "pause=0") {
		t.Errorf("callers that sleep: %v", err)
	}
}
