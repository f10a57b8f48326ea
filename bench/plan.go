package bench

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// Request is a user's order of measurements. The zero value asks for every program at its reduced
// size.
type Request struct {
	// Programs names the programs. None means all programs; [All] means all that the report shows,
	// of all programs or of those named behind it.
	Programs []string
	// Variants names the variants. None means all variants of a program, except for rivals.
	Variants []string
	// Rivals asks for the variants written with other libraries too.
	Rivals bool
	// Processors are the numbers of processors to measure with. None means GOMAXPROCS as it is.
	Processors []int
	// Params are settings: "work=100" for every program that has the parameter, or "fib.work=100"
	// for one program. A setting with several values, "work=0,100", has the program measured with
	// each of them. Of two settings for the same parameter the later one counts.
	Params []string
	// Runs is the number of turns of every variant; 0 means 5.
	Runs int
	// Quick asks for the reduced sizes.
	Quick bool
	// Runner carries out the measurements; nil means [InProcess].
	Runner Runner
	// Simulator, if set, carries out the measurements on virtual processors instead of Runner. Only
	// some variants can be simulated.
	Simulator *Simulator
}

// maxProcessors bounds the number of processors that a user can ask for. A greater number is a
// slip, not a wish.
const maxProcessors = 1024

// Plan is a list of measurements to carry out. It is immutable. [NewPlan] makes one.
type Plan struct {
	jobs       []job
	processors []int
	runs       int
	runner     Runner
	simulated  bool // whether runner measures on virtual processors
}

// job is one program with the variants and values to measure it with.
type job struct {
	program  *programs.Program
	variants []programs.Variant // to measure: they can run with the values
	// All variants that can run with the values, whether wanted or not. Rivals are among them only
	// if they take part.
	all     []programs.Variant
	values  programs.Values
	point   string // tells the job from others of its program, in a reader's words
	reduced bool   // whether its size is the reduced one
}

// NewPlan makes the plan for a request. The error for a request that cannot be met is a
// [*UsageError].
func NewPlan(catalogue []*programs.Program, r Request) (*Plan, error) {
	r = r.expanded(catalogue)
	plan := &Plan{processors: r.Processors, runs: r.Runs, runner: r.Runner}
	if r.Simulator != nil {
		plan.runner, plan.simulated = r.Simulator.Run, true
	}
	if plan.runner == nil {
		plan.runner = InProcess
	}
	if plan.runs == 0 {
		plan.runs = 5
	}
	if plan.runs < 1 {
		return nil, usagef("the number of runs is %d, and must be at least 1", r.Runs)
	}
	if len(plan.processors) == 0 {
		plan.processors = []int{runtime.GOMAXPROCS(0)}
	}
	for i, n := range plan.processors {
		if n < 1 || n > maxProcessors {
			return nil, usagef("the number of processors is %d, and must be from 1 to %d", n, maxProcessors)
		}
		if slices.Contains(plan.processors[:i], n) {
			return nil, usagef("%d processors are asked for twice", n)
		}
	}
	chosen, err := chooseMany("program", r.Programs, ProgramNames(catalogue))
	if err != nil {
		return nil, err
	}
	var selected []*programs.Program
	for _, p := range catalogue {
		if slices.Contains(chosen, p.Name) {
			selected = append(selected, p)
		}
	}
	if _, err := chooseMany("variant", r.Variants, VariantNames(selected)); err != nil {
		return nil, err
	}
	sorted, err := parseSettings(r.Params, selected, catalogue)
	if err != nil {
		return nil, err
	}
	sized := make(map[string]bool)
	for _, p := range selected {
		sized[p.Name] = len(sorted[p.Name][programs.Size]) > 0
	}
	if len(r.Programs) == 0 {
		if err := overviewSettings(sorted, selected); err != nil {
			return nil, err
		}
	}
	for _, p := range selected {
		taking := p.Variants
		if !r.rivalsTakePart(p) {
			taking = withoutRivals(taking)
		}
		if plan.simulated {
			if taking, err = r.Simulator.simulable(p, r.Variants); err != nil {
				return nil, err
			}
		}
		j := job{program: p, variants: variants(taking, r.Variants), all: taking}
		if len(j.variants) == 0 {
			if len(r.Programs) == 0 {
				continue
			}
			names := VariantNames([]*programs.Program{p})
			return nil, usagef("%s has no variant %s; it has %s",
				p.Name, strings.Join(r.Variants, " or "), strings.Join(names, ", "))
		}
		quick := r.Quick || len(r.Programs) == 0
		j.reduced = quick && !sized[p.Name]
		if err := plan.add(j, quick, len(r.Programs) == 0, sorted[p.Name]); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// add appends the job once for each point of its program that agrees with the settings, and for
// each combination of parameters that are set to several values. An overview of all programs has
// only the last of the points, because it must be there within a minute.
func (p *Plan) add(j job, quick, overview bool, set settings) error {
	wanted, taking := j.variants, j.all
	points := set.points(j.program, overview)
	for _, at := range points {
		var err error
		if j.values, err = j.program.Values(quick, at.values); err != nil {
			var wrong *programs.ParamError
			if errors.As(err, &wrong) {
				return usagef("%s", wrong.Error())
			}
			return err
		}
		j.point = describe(j.program, at.telling)
		j.variants, j.all = fitting(wanted, j.values), fitting(taking, j.values)
		if len(j.variants) > 0 {
			p.jobs = append(p.jobs, j)
		} else if len(points) == 1 {
			names := VariantNames([]*programs.Program{{Variants: j.all}})
			return usagef("none of the variants that are asked for can run %s with these parameters; %s can", j.program.Name, strings.Join(names, ", "))
		}
	}
	return nil
}

// describe writes a point's values in the order of the program's parameters.
func describe(p *programs.Program, point map[string]int) string {
	var parts []string
	for _, name := range p.ParamNames() {
		if value, ok := point[name]; ok {
			parts = append(parts, fmt.Sprintf("%s=%d", name, value))
		}
	}
	return strings.Join(parts, " ")
}

// fitting returns the variants that can run with the values.
func fitting(variants []programs.Variant, values programs.Values) []programs.Variant {
	var some []programs.Variant
	for _, v := range variants {
		if v.Fits == nil || v.Fits(values) {
			some = append(some, v)
		}
	}
	return some
}

// Measurements returns the number of measurements of the plan.
func (p *Plan) Measurements() int {
	n := 0
	for _, j := range p.jobs {
		n += len(j.variants) * len(p.processors) * p.runs
	}
	return n
}

// chooseMany returns the wanted names, or all known ones if none is wanted. A name that is not
// known is an error.
func chooseMany(what string, wanted, known []string) ([]string, error) {
	if len(wanted) == 0 {
		return known, nil
	}
	for i, name := range wanted {
		if !slices.Contains(known, name) {
			return nil, unknown(what, name, known)
		}
		if slices.Contains(wanted[:i], name) {
			return nil, usagef("%s %s is asked for twice", what, name)
		}
	}
	return wanted, nil
}

// variants returns the wanted variants, or all variants if none is wanted.
func variants(all []programs.Variant, wanted []string) []programs.Variant {
	if len(wanted) == 0 {
		return all
	}
	var some []programs.Variant
	for _, v := range all {
		if slices.Contains(wanted, v.Name) {
			some = append(some, v)
		}
	}
	return some
}
