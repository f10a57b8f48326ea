package switching

import (
	"strconv"
	"time"

	"github.com/freerun-go/freerun/programs"
)

const paramTasks = "tasks"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "switch",
	Doc:       "tasks that do nothing but let others run",
	Source:    "fourth paper, section 6, figure 8",
	Operation: "switch",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "switches of all tasks together", Default: 5_000_000, Quick: 100_000, Min: 10, Max: 1_000_000_000},
		{Name: paramTasks, Letter: "n", Doc: "tasks", Default: 1000, Quick: 100, Min: 1, Max: 1_000_000},
	},
	Points: []map[string]int{{paramTasks: 1}, {paramTasks: 10}, {paramTasks: 100}, {paramTasks: 10_000}, {paramTasks: 1000}},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "activities that yield", Run: runActivities},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "goroutines that call runtime.Gosched", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(v.Get(programs.Size)) },
}

// dance is tasks that switch to one another.
type dance struct {
	size    int
	dancers []dancer
}

// dancer is a task: how often it switches, and its result, which the task writes once, at its end.
type dancer struct {
	steps, done int
	at          time.Time // when it did its last step
}

func newDance(v programs.Values) *dance {
	d := &dance{size: v.Get(programs.Size), dancers: make([]dancer, v.Get(paramTasks))}
	for i := range d.dancers {
		d.dancers[i].steps = (i+1)*d.size/len(d.dancers) - i*d.size/len(d.dancers)
	}
	return d
}

// end is called by a task at its end.
func (d *dancer) end(done int) { d.done, d.at = done, time.Now() }

// result completes the measurements of tasks, the first of which started at the given time.
func (d *dance) result(began time.Time, r programs.Result) programs.Result {
	done, first := 0, d.dancers[0].at
	for _, dancer := range d.dancers {
		done += dancer.done
		if dancer.at.Before(first) {
			first = dancer.at
		}
	}
	r.Checksum = strconv.Itoa(done)
	r.Figures = []programs.Figure{{
		Name: "first_percent", Doc: "how much of the time had passed when the first task was done, in % (100 if all take turns)",
		Value: uint64(100 * max(0, first.Sub(began)) / max(1, r.Elapsed)),
	}}
	return r
}
