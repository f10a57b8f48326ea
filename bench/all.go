package bench

import (
	"runtime"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// All stands for every program with everything that the report shows of it: its points, its rivals,
// several amounts of work, one processor and more. The sizes are such that all of it ends within
// some minutes. Ahead of the names of programs it stands for everything of these.
const All = "all"

// sweeps are the settings that the report measures at several values.
var sweeps = []string{
	"fib.work=0,100,1000,10000",
	"create.batch=1,10,100,1000,10000,100000,1000000",
	"switch.tasks=1,10,100,1000,10000",
	"cas.contenders=1,2,4,8,16,32,64",
}

// sizes are the sizes for the report: those of the papers where a run takes less than a second.
var sizes = []string{
	"fib.size=25", "ddb.size=20000",
	"create.size=200000", "switch.size=500000", "lock.size=1000000", "mandelbrot.size=300",
	"pingpong.size=500000", "fanin.size=500000", "submit.size=200000", "skynet.size=100000", "bank.size=100000", "hot.size=200", "tick.size=200",
	"cas.size=2000000", "queues.size=200000", "locks.size=100000",
	"alloc.blocks=100000", "trees.size=14", "records.size=500000",
}

// overviewSizes are the sizes for the overview of all programs where the reduced ones are so small
// that a run takes a few milliseconds. The other reduced sizes do for the overview.
var overviewSizes = []string{
	"fib.size=25", "matrix.size=200", "city.units=100", "eratosthenes.size=5000", "producer.size=200000", "queues.size=200000", "locks.size=30000",
	"alloc.blocks=200000", "trees.size=13",
}

// overviewSettings adds the sizes of the overview to the settings of each program, where the user
// has set nothing.
func overviewSettings(sorted map[string]settings, selected []*programs.Program) error {
	names := ProgramNames(selected)
	sizes := slices.DeleteFunc(slices.Clone(overviewSizes), func(s string) bool {
		program, _, _ := strings.Cut(s, ".")
		return !slices.Contains(names, program)
	})
	of, err := parseSettings(sizes, selected, selected)
	for program, set := range of {
		for name, values := range set {
			if sorted[program][name] == nil {
				sorted[program][name] = values
			}
		}
	}
	return err
}

// expanded returns the request with everything that [All] stands for, or the request itself if it
// does not ask for All.
func (r Request) expanded(catalogue []*programs.Program) Request {
	if len(r.Programs) == 0 || r.Programs[0] != All {
		return r
	}
	r.Programs, r.Rivals = r.Programs[1:], true
	if len(r.Programs) == 0 {
		r.Programs = ProgramNames(catalogue)
	}
	set := sweeps
	if !r.Quick {
		set = slices.Concat(sweeps, sizes)
	}
	set = slices.DeleteFunc(slices.Clone(set), func(s string) bool {
		program, _, _ := strings.Cut(s, ".")
		return !slices.Contains(r.Programs, program)
	})
	r.Params = slices.Concat(set, r.Params) // the later setting counts: the user's
	if len(r.Processors) == 0 {
		r.Processors = powers(runtime.GOMAXPROCS(0))
	}
	return r
}

// powers returns the powers of two below n, and n as the last.
func powers(n int) []int {
	var all []int
	for i := 1; i < n; i *= 2 {
		all = append(all, i)
	}
	return append(all, n)
}
