package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// TestSeveralValues checks the points that result from a parameter that is set to several values.
func TestSeveralValues(t *testing.T) {
	for name, c := range map[string]struct {
		programs []string
		params   []string
		points   []string
	}{
		"one parameter":  {[]string{"fib"}, []string{"work=0,100"}, []string{"work=0", "work=100"}},
		"two":            {[]string{"fib"}, []string{"work=0,5", "size=10,11"}, []string{"size=10 work=0", "size=10 work=5", "size=11 work=0", "size=11 work=5"}},
		"of its points":  {[]string{"locks"}, []string{"goroutines=2,64"}, []string{"goroutines=2", "goroutines=64"}},
		"beside points":  {[]string{"lock"}, []string{"local=0,1"}, []string{"tasks=2 local=0", "tasks=1000 local=0", "tasks=1 local=1", "tasks=1000 local=1"}},
		"with points":    {[]string{"lock"}, []string{"size=10,20", "local=1", "tasks=1000"}, []string{"size=10 tasks=1000 local=1", "size=20 tasks=1000 local=1"}},
		"overview":       {nil, []string{"fib.work=1,2"}, []string{"work=1", "work=2"}},
		"the last holds": {[]string{"fib"}, []string{"work=1,2", "fib.work=7"}, []string{""}},
	} {
		plan, err := NewPlan(catalogue.WithRivals(), Request{Programs: c.programs, Params: c.params})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var points []string
		for _, j := range plan.jobs {
			if j.program.Name == "fib" || slices.Contains(c.programs, j.program.Name) {
				points = append(points, j.point)
			}
		}
		if !slices.Equal(points, c.points) {
			t.Errorf("%s: %q, want %q", name, points, c.points)
		}
	}
	for text, says := range map[string]string{"work=1,1": "1 is twice", "work=1,": `"" in the setting`, "work=1,x": `"x" in the setting`} {
		if _, err := NewPlan(catalogue.WithRivals(), Request{Programs: []string{"fib"}, Params: []string{text}}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %s", text, err, says)
		}
	}
}

// TestAll: [All] includes every program and its rivals, and the user's settings count.
func TestAll(t *testing.T) {
	plan, err := NewPlan(catalogue.WithRivals(), Request{Programs: []string{All}, Params: []string{"fib.size=12"}})
	if err != nil {
		t.Fatal(err)
	}
	var names, works []string
	rivals := false
	for _, j := range plan.jobs {
		if !slices.Contains(names, j.program.Name) {
			names = append(names, j.program.Name)
		}
		if j.program.Name == "fib" {
			works = append(works, j.point)
			if n := j.values.Get("size"); n != 12 {
				t.Errorf("fib's size is %d, want what was set", n)
			}
		}
		if len(withoutRivals(j.variants)) < len(j.variants) {
			rivals = true
		}
	}
	if !slices.Equal(names, ProgramNames(catalogue.WithRivals())) || len(works) < 3 || !rivals {
		t.Errorf("programs %q, fib with %q, rivals take part: %v", names, works, rivals)
	}
	if _, err := NewPlan(catalogue.WithRivals()[:1], Request{Programs: []string{All}}); err != nil {
		t.Errorf("of a catalogue of one: %v", err)
	}
	if _, err := NewPlan(catalogue.WithRivals(), Request{Programs: []string{"fib", All}}); err == nil {
		t.Error("fib and all: no error")
	}
	some, err := NewPlan(catalogue.WithRivals(), Request{Programs: []string{All, "submit", "fib"}, Processors: []int{1}, Runs: 1})
	if err != nil || !slices.Equal(VariantNames([]*programs.Program{some.jobs[len(some.jobs)-1].program}), []string{"tell", "futures", "goroutines", "pond", "ants"}) || len(some.jobs) != len(works)+1 {
		t.Errorf("all of fib and submit: %v, %+v", err, some)
	}
	for n, want := range map[int][]int{1: {1}, 2: {1, 2}, 6: {1, 2, 4, 6}} {
		if got := powers(n); !slices.Equal(got, want) {
			t.Errorf("powers(%d) = %v, want %v", n, got, want)
		}
	}
}

// TestOverviewSizes: an overview has sizes of its own where the reduced ones are too small for
// figures, and what a user sets counts.
func TestOverviewSizes(t *testing.T) {
	plan, err := NewPlan(catalogue.WithRivals(), Request{Params: []string{"queues.size=300", "alloc.blocks=400"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]int{"fib": {"size": 25}, "queues": {"size": 300}, "alloc": {"blocks": 400, "size": 1000}, "pingpong": {"size": 200_000}}
	for _, j := range plan.jobs {
		for name, value := range want[j.program.Name] {
			if got := j.values.Get(name); got != value {
				t.Errorf("%s: %s is %d, want %d", j.program.Name, name, got, value)
			}
		}
		if j.reduced != (j.program.Name != "queues") {
			t.Errorf("%s: reduced is %v", j.program.Name, j.reduced)
		}
	}
	quick, err := NewPlan(catalogue.WithRivals(), Request{Programs: []string{"fib"}, Quick: true})
	if err != nil || quick.jobs[0].values.Get("size") != 23 {
		t.Errorf("a program that is named is not at its reduced size: %v", err)
	}
}
