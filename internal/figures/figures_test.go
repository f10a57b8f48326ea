package figures

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestShow: a runtime has the values of all that show some, and no others, until they are hidden.
func TestShow(t *testing.T) {
	commits := Declare(Figure{Name: "test.commits", Unit: "{commit}", Grows: true})
	one, other := new(int), new(int)
	values := func(v float64) func() []Value { return func() []Value { return []Value{{Of: commits, Value: v}} } }
	hide1, hide2, hide3 := Show(one, values(1)), Show(one, values(2)), Show(other, values(3))
	look := func(rt any) (all []float64) {
		for _, v := range Of(rt) {
			if v.Of != commits {
				t.Errorf("%+v", v)
			}
			all = append(all, v.Value)
		}
		return all
	}
	if got := look(one); !slices.Equal(got, []float64{1, 2}) {
		t.Error(got)
	}
	hide1()
	hide1() // again
	if got := look(one); !slices.Equal(got, []float64{2}) {
		t.Error(got)
	}
	if got := look(other); !slices.Equal(got, []float64{3}) {
		t.Error(got)
	}
	hide2()
	hide3()
	if got := append(look(one), look(other)...); len(got) > 0 || len(sources) > 0 {
		t.Error(got, len(sources))
	}
}

// TestShowConcurrently: many look while modules come and go.
func TestShowConcurrently(t *testing.T) {
	rt := new(int)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				hide := Show(rt, func() []Value { return []Value{{Value: 1}} })
				if n := len(Of(rt)); n < 1 || n > 4 {
					t.Errorf("%d values", n)
				}
				hide()
			}
		})
	}
	all.Wait()
	if n := len(Of(rt)); n > 0 {
		t.Errorf("%d values are left", n)
	}
}

func TestMetric(t *testing.T) {
	for want, f := range map[string]Figure{
		"a_commits_total":    {Name: "a.commits", Unit: "{commit}", Grows: true},
		"a_time_seconds":     {Name: "a.time", Unit: "s"},
		"a_file_bytes":       {Name: "a.file", Unit: "By"},
		"a_io_seconds_total": {Name: "a.io", Unit: "s", Grows: true},
	} {
		if got := f.Metric(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestDeclareTwice: two figures would be one to who shows them.
func TestDeclareTwice(t *testing.T) {
	Declare(Figure{Name: "test.twice", Unit: "s"})
	if names := Declared(); names[len(names)-1].Name != "test.twice" {
		t.Errorf("%v", names[len(names)-1])
	}
	for _, name := range []string{"test.twice", "test_twice"} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, "two of the name "+name) {
					t.Errorf("%v", p)
				}
			}()
			Declare(Figure{Name: name, Unit: "s"})
		}()
	}
}
