package bench

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// Request is what a user asks to have measured. The zero value asks for every program at its reduced size.
type Request struct {
	// Programs names the programs; none means all of them.
	Programs []string
	// Variants names the variants; none means all that a program has, but for rivals.
	Variants []string
	// Rivals asks for the variants written with other libraries too, of those programs that have some.
	Rivals bool
	// Processors are the numbers of processors to measure with; none means GOMAXPROCS as it is.
	Processors []int
	// Params are settings such as "work=100", for every program that has the parameter, or "fib.work=100", for one.
	Params []string
	// Runs is how many times every variant has its turn; 0 means 5.
	Runs int
	// Quick asks for the reduced sizes.
	Quick bool
	// Runner carries out the measurements; nil means [InProcess].
	Runner Runner
}

// maxProcessors bounds what a user can ask for: beyond it a number is a slip, not a wish.
const maxProcessors = 1024

// Plan is what is going to be measured. It is immutable; use [NewPlan] to make one.
type Plan struct {
	jobs       []job
	processors []int
	runs       int
	runner     Runner
}

// job is one program with the variants and values to measure it with.
type job struct {
	program  *programs.Program
	variants []programs.Variant // those that fit the values
	all      []programs.Variant // those that would fit, wanted or not; rivals only if they take part
	values   programs.Values
	point    string // what tells the job from others of its program, in a reader's words
	reduced  bool   // whether its size is the reduced one
}

// NewPlan makes the plan for a request. A request that cannot be met is a [*UsageError].
func NewPlan(catalogue []*programs.Program, r Request) (*Plan, error) {
	plan := &Plan{processors: r.Processors, runs: r.Runs, runner: r.Runner}
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
	settings, err := parseSettings(r.Params, selected, catalogue)
	if err != nil {
		return nil, err
	}
	for _, p := range selected {
		taking := p.Variants
		if !r.rivalsTakePart(p) {
			taking = withoutRivals(taking)
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
		_, sized := settings[p.Name][programs.Size]
		j.reduced = quick && !sized
		if err := plan.add(j, quick, len(r.Programs) == 0, settings[p.Name]); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// add appends the job once for each of its program's points that agree with what is set. An overview of all programs has only
// the last of them, since it is to be there within a minute.
func (p *Plan) add(j job, quick, overview bool, set map[string]int) error {
	points := agreeing(j.program.Points, set)
	if overview {
		points = points[len(points)-1:]
	}
	wanted, taking := j.variants, j.all
	for _, point := range points {
		merged := maps.Clone(set)
		maps.Copy(merged, point)
		var err error
		if j.values, err = j.program.Values(quick, merged); err != nil {
			var wrong *programs.ParamError
			if errors.As(err, &wrong) {
				return usagef("%s", wrong.Error())
			}
			return err
		}
		j.point = describe(j.program, point)
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

// agreeing returns the points in which every parameter that is set has that value; a single empty one if there are none.
func agreeing(points []map[string]int, set map[string]int) []map[string]int {
	var some []map[string]int
	for _, point := range points {
		agrees := true
		for name, value := range point {
			if wanted, isSet := set[name]; isSet && wanted != value {
				agrees = false
			}
		}
		if agrees {
			some = append(some, point)
		}
	}
	if some == nil {
		return []map[string]int{{}}
	}
	return some
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

// Measurements is how many measurements the plan consists of.
func (p *Plan) Measurements() int {
	n := 0
	for _, j := range p.jobs {
		n += len(j.variants) * len(p.processors) * p.runs
	}
	return n
}

// chooseMany returns the wanted names, or all known ones if none is wanted.
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

// variants returns those variants that are wanted, all of them if none is.
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

// parseSettings sorts settings by the program they are for.
func parseSettings(settings []string, selected, catalogue []*programs.Program) (map[string]map[string]int, error) {
	sorted := make(map[string]map[string]int)
	for _, p := range selected {
		sorted[p.Name] = make(map[string]int)
	}
	for _, s := range settings {
		key, text, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usagef("the setting %q has no value: write it as %s=NUMBER", s, s)
		}
		value, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
		if err != nil {
			return nil, usagef("%q in the setting %q is not a whole number", text, s)
		}
		program, param, ok := strings.Cut(key, ".")
		if !ok {
			program, param = "", key
		}
		if err := assign(sorted, selected, catalogue, program, param, value); err != nil {
			return nil, err
		}
	}
	return sorted, nil
}

// assign notes one setting for the program it names, or for all selected ones that have the parameter.
func assign(
	sorted map[string]map[string]int, selected, catalogue []*programs.Program, program, param string, value int,
) error {
	if ambiguous := namesakes(selected, param); program == "" && len(ambiguous) > 1 {
		return usagef("%q means something else for every program: write %s.%s=%d", param, ambiguous[0].Name, param, value)
	}
	var known []string
	used := false
	for _, p := range selected {
		if program != "" && p.Name != program {
			continue
		}
		known = append(known, p.ParamNames()...)
		if found, ok := p.Param(param); ok {
			sorted[p.Name][found.Name] = value
			used = true
		}
	}
	switch {
	case used:
		return nil
	case known != nil:
		slices.Sort(known)
		return unknown("parameter", param, slices.Compact(known))
	case slices.Contains(ProgramNames(catalogue), program):
		return usagef("the setting %s.%s=%d is for a program that is not to be measured", program, param, value)
	default:
		return unknown("program", program, ProgramNames(catalogue))
	}
}

// namesakes returns the programs that have something of their own by that name: a size, or a parameter with that letter.
func namesakes(selected []*programs.Program, name string) []*programs.Program {
	var some []*programs.Program
	for _, p := range selected {
		if found, ok := p.Param(name); ok && (name == programs.Size || name == found.Letter) {
			some = append(some, p)
		}
	}
	return some
}
