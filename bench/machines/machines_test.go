package main

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain is a process that a test has started, or the tests.
func TestMain(m *testing.M) {
	variants = append(variants, forgetful)
	if os.Getenv(child) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// forgetful has units in the process that calls, and they do not count each hundredth call.
var forgetful = variant{
	name:  "forgetful",
	units: func(place) (stop func(), err error) { return func() {}, nil },
	caller: func(place) (*caller, error) {
		var counts [units]atomic.Int64
		var calls atomic.Int64
		call := func(unit int) (int64, error) {
			if calls.Add(1)%100 == 0 {
				return counts[unit].Load(), nil
			}
			return counts[unit].Add(1), nil
		}
		return &caller{call: call, stop: func() {}}, nil
	},
}

// brief has a session with short measurements.
func brief(v variant) (row, error) {
	return (&session{variant: v, each: 100 * time.Millisecond}).run()
}

// TestVariants holds that units have counted what was answered, in each variant.
func TestVariants(t *testing.T) {
	for _, v := range variants {
		if v.name == forgetful.name {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			r, err := brief(v)
			if err != nil {
				t.Fatal(err)
			}
			for _, how := range []string{"one", "goroutines"} {
				if m := r.Measures[how]; m.Calls == 0 || m.cost() <= 0 {
					t.Errorf("%s: %+v", how, m)
				}
			}
			if n := r.Measures["one"].P50; n <= 0 || n > r.Measures["one"].P99 {
				t.Errorf("%+v", r.Measures["one"])
			}
		})
	}
}

// TestForgetful holds that units are found that do not count.
func TestForgetful(t *testing.T) {
	if _, err := brief(forgetful); err == nil || !strings.Contains(err.Error(), "have counted") {
		t.Errorf("%v", err)
	}
}

// TestTable holds that the table is short, has a line for each variant, and medians.
func TestTable(t *testing.T) {
	var rows []row
	for _, v := range variants {
		for _, n := range []time.Duration{30, 10, 20} {
			one := measure{Calls: 1, Took: time.Second, P50: n * time.Microsecond, P99: 7 * n * time.Microsecond}
			rows = append(rows, row{Variant: v.name, Measures: map[string]measure{"one": one}})
		}
	}
	text := table(variants, rows)
	if n := strings.Count(text, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	for _, line := range strings.Split(text, "\n")[1 : len(variants)+1] {
		if got := strings.Join(strings.Fields(line)[1:5], " "); got != "20.0 10.0 140 70.0" {
			t.Errorf("%s", line)
		}
	}
}

// TestRatios holds that rounds are compared with themselves.
func TestRatios(t *testing.T) {
	of := func(name string, round int, calls int64) row {
		return row{Variant: name, Round: round, Measures: map[string]measure{"futures": {Calls: calls, Took: time.Second}}}
	}
	rows := []row{of("a", 0, 10), of("b", 0, 20), of("a", 1, 90), of("b", 1, 30)}
	if all := ratios(rows, "a", "b", "futures"); !slices.Equal(all, []float64{0.5, 3}) {
		t.Errorf("%v", all)
	}
	if all := ratios(rows, "a", "b", "goroutines"); len(all) > 0 {
		t.Errorf("%v of nothing", all)
	}
}

// TestEnds holds that a process ends with its input.
func TestEnds(t *testing.T) {
	p, err := start()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.ask(request{Do: "server"}); err != nil {
		t.Error(err)
	}
	p.end()
	if !p.cmd.ProcessState.Success() {
		t.Errorf("it had to be killed: %v", p.cmd.ProcessState)
	}
}
