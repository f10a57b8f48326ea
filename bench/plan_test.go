package bench

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
)

func TestPlanRefusesInOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		request Request
		says    []string
	}{
		"program":           {Request{Programs: []string{"fibo"}}, []string{`unknown program "fibo"`, `did you mean "fib"?`, "tokenring, pingpong, fanin"}},
		"program, far":      {Request{Programs: []string{"xyzzy"}}, []string{`unknown program "xyzzy": there are fib`}},
		"program twice":     {Request{Programs: []string{"fib", "fib"}}, []string{"fib is asked for twice"}},
		"variant":           {Request{Variants: []string{"chanels"}}, []string{`did you mean "channels"?`, "mutex"}},
		"variant elsewhere": {Request{Programs: []string{"fib", "fanin"}, Variants: []string{"units"}}, []string{"fib has no variant units; it has serial, join, join-closures, futures, lazy, goroutines"}},
		"processors":        {Request{Processors: []int{0}}, []string{"must be from 1 to"}},
		"processors twice":  {Request{Processors: []int{2, 2}}, []string{"2 processors are asked for twice"}},
		"runs":              {Request{Runs: -1}, []string{"must be at least 1"}},
		"size of all":       {Request{Params: []string{"size=3"}}, []string{"write fib.size=3"}},
		"size too big":      {Request{Programs: []string{"fib"}, Params: []string{"size=46"}}, []string{"must be from 10 to 45"}},
		"size too small":    {Request{Programs: []string{"ddb"}, Params: []string{"size=0"}}, []string{"ddb: size is 0, and must be from 10 to"}},
		"no value":          {Request{Params: []string{"work"}}, []string{"write it as work=NUMBER"}},
		"no number":         {Request{Params: []string{"work=many"}}, []string{`"many"`, "not a whole number"}},
		"parameter":         {Request{Programs: []string{"fib"}, Params: []string{"wrok=1"}}, []string{`did you mean "work"?`}},
		"other program":     {Request{Programs: []string{"fib"}, Params: []string{"ddb.hot=1"}}, []string{"not to be measured"}},
		"letter of several": {Request{Programs: []string{"city", "news"}, Params: []string{"k=5"}}, []string{`"k" means something else for every program: write city.k=5`}},
		"letter":            {Request{Programs: []string{"city"}, Params: []string{"m=5"}}, []string{`unknown parameter "m"`, "size, store, units"}},
		"no such program":   {Request{Params: []string{"dbd.hot=1"}}, []string{`did you mean "ddb"?`}},
	} {
		_, err := NewPlan(catalogue.WithRivals(), c.request)
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: error %v, want a *UsageError", name, err)
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", name, err, part)
			}
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q has more than one line", name, err)
		}
	}
}

func TestPlanSettings(t *testing.T) {
	plan, err := NewPlan(catalogue.WithRivals(), Request{
		Programs: []string{"ddb", "fib"},
		Params:   []string{"fib.size=12", "ddb.size=1_000", "work=5", "hot=10"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]int{"fib": {"size": 12, "work": 5}, "ddb": {"size": 1000, "hot": 10, "clients": 28}}
	for _, j := range plan.jobs {
		for name, value := range want[j.program.Name] {
			if j.values.Get(name) != value {
				t.Errorf("%s: %s is %d, want %d", j.program.Name, name, j.values.Get(name), value)
			}
		}
	}
	if len(plan.jobs) != 2 {
		t.Errorf("%d programs, want 2", len(plan.jobs))
	}
}

// TestPlanLetters: a parameter can be set by the letter that its paper has for it.
func TestPlanLetters(t *testing.T) {
	plan, err := NewPlan(catalogue.WithRivals(), Request{
		Programs: []string{"city", "producer", "news"},
		Params:   []string{"city.n=20", "city.k=3", "producer.n=5", "m=4"}, // only news has an m
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]int{
		"city": {"size": 20, "units": 3, "store": 100}, "producer": {"size": 10_000, "pairs": 5}, "news": {"size": 1000, "reporters": 4},
	}
	for _, j := range plan.jobs {
		for name, value := range want[j.program.Name] {
			if j.values.Get(name) != value {
				t.Errorf("%s: %s is %d, want %d", j.program.Name, name, j.values.Get(name), value)
			}
		}
	}
	if len(plan.jobs) != 3 {
		t.Errorf("%d jobs, want one for each program", len(plan.jobs))
	}
}

func TestPlanLeavesOutProgramsWithoutTheVariant(t *testing.T) {
	plan, err := NewPlan(catalogue.WithRivals(), Request{Variants: []string{"mutex"}, Runs: 2, Processors: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Measurements(); got != 6*2 {
		t.Errorf("%d measurements, want 12: ddb, fanin, bank, cas, queues and locks have a mutex variant, twice each", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"fib", "fib", 0}, {"chanels", "channels", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestPlanPoints checks which points are measured: all, those that agree with the settings, or in
// an overview the last.
func TestPlanPoints(t *testing.T) {
	for name, c := range map[string]struct {
		request Request
		points  []string
	}{
		"all": {Request{Programs: []string{"locks"}}, []string{"goroutines=1", "goroutines=2", "goroutines=8", "goroutines=64"}},
		"set": {Request{Programs: []string{"locks"}, Params: []string{"goroutines=8"}}, []string{"goroutines=8"}},
		"new": {Request{Programs: []string{"locks"}, Params: []string{"goroutines=5"}}, []string{""}},
		"fit": {Request{Programs: []string{"queues"}, Params: []string{"payload=8"}, Variants: []string{"spsc"}}, []string{"producers=1 consumers=1 payload=8"}},
	} {
		plan, err := NewPlan(catalogue.WithRivals(), c.request)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var points []string
		for _, j := range plan.jobs {
			points = append(points, j.point)
		}
		if !slices.Equal(points, c.points) {
			t.Errorf("%s: %q, want %q", name, points, c.points)
		}
	}
	plan, err := NewPlan(catalogue.WithRivals(), Request{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, j := range plan.jobs {
		if j.program.Name == "locks" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("an overview has %d points of a program", n)
	}
	_, err = NewPlan(catalogue.WithRivals(), Request{Programs: []string{"queues"}, Params: []string{"producers=4", "consumers=4", "payload=8"}, Variants: []string{"spsc"}})
	var usage *UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "mpmc") {
		t.Errorf("a variant that does not fit: %v", err)
	}
}

// TestPlanRivals checks when rivals are measured, and what the table says when they are not.
func TestPlanRivals(t *testing.T) {
	const (
		absent = "without its rivals: submit; --rivals shows them beside.\n"
		gap    = "no ratio for submit: "
	)
	for name, c := range map[string]struct {
		request  Request
		variants []string
		says     string
	}{
		"not asked":  {Request{}, []string{"tell", "futures", "goroutines"}, absent},
		"asked":      {Request{Rivals: true}, []string{"tell", "futures", "goroutines", "pond", "ants"}, ""},
		"named":      {Request{Variants: []string{"tell", "pond"}}, []string{"tell", "pond"}, gap + "goroutines and ants were not measured.\n"},
		"not named":  {Request{Variants: []string{"tell", "goroutines"}}, []string{"tell", "goroutines"}, absent},
		"only some":  {Request{Rivals: true, Variants: []string{"tell", "goroutines"}}, []string{"tell", "goroutines"}, gap + "pond and ants were not measured.\n"},
		"all others": {Request{Variants: []string{"pond"}}, []string{"pond"}, gap + "goroutines and ants were not measured.\n"},
	} {
		c.request.Programs, c.request.Params, c.request.Processors, c.request.Runs = []string{"submit"}, []string{"size=10"}, []int{1}, 1
		plan, err := NewPlan(catalogue.WithRivals(), c.request)
		if err != nil {
			t.Fatal(err)
		}
		var rows []Row
		if err := plan.Run(t.Context(), nil, func(r Row) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
		var variants []string
		for _, r := range rows {
			variants = append(variants, r.Variant)
		}
		if !slices.Equal(variants, c.variants) {
			t.Errorf("%s: variants %q, want %q", name, variants, c.variants)
		}
		var out strings.Builder
		if err := plan.WriteTable(&out, rows); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), c.says) || (c.says != absent && strings.Contains(out.String(), absent)) {
			t.Errorf("%s: the legend does not say %q, or says more:\n%s", name, c.says, &out)
		}
	}
}
