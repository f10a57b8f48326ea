package bench

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// settings hold the values that a user has set for the parameters of one program, by the
// parameter's name. The program is measured with each value.
type settings map[string][]int

// point is one of the combinations of parameters that a program is measured with.
type point struct {
	values  map[string]int // the parameters that do not have their default value
	telling map[string]int // those of values that tell this point from the others
}

// points returns the program's points that agree with the settings, once for each combination of
// parameters that are set to several values. If last is true, it returns only the last point of
// each combination.
func (s settings) points(p *programs.Program, last bool) []point {
	var all []point
	for _, c := range s.combinations(p) {
		agree := agreeing(p.Points, c.values)
		if last {
			agree = agree[len(agree)-1:]
		}
		for _, own := range agree {
			at := point{maps.Clone(c.values), maps.Clone(c.telling)}
			maps.Copy(at.values, own)
			maps.Copy(at.telling, own)
			all = append(all, at)
		}
	}
	return all
}

// combinations returns a point for each combination of the values that are set, in the order of the
// program's parameters.
func (s settings) combinations(p *programs.Program) []point {
	all := []point{{make(map[string]int), make(map[string]int)}}
	for _, name := range p.ParamNames() {
		values := s[name]
		if len(values) == 0 {
			continue
		}
		var longer []point
		for _, c := range all {
			for _, value := range values {
				next := point{maps.Clone(c.values), maps.Clone(c.telling)}
				next.values[name] = value
				if len(values) > 1 {
					next.telling[name] = value
				}
				longer = append(longer, next)
			}
		}
		all = longer
	}
	return all
}

// agreeing returns the points in which every parameter of set has the value of set. If there are
// none, it returns a single empty point.
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

// parseSettings sorts settings by their program.
func parseSettings(texts []string, selected, catalogue []*programs.Program) (map[string]settings, error) {
	sorted := make(map[string]settings)
	for _, p := range selected {
		sorted[p.Name] = make(settings)
	}
	for _, s := range texts {
		key, text, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usagef("the setting %q has no value: write it as %s=NUMBER", s, s)
		}
		var values []int
		for word := range strings.SplitSeq(text, ",") {
			value, err := strconv.Atoi(strings.ReplaceAll(word, "_", ""))
			if err != nil {
				return nil, usagef("%q in the setting %q is not a whole number", word, s)
			}
			if slices.Contains(values, value) {
				return nil, usagef("%d is twice in the setting %q", value, s)
			}
			values = append(values, value)
		}
		program, param, ok := strings.Cut(key, ".")
		if !ok {
			program, param = "", key
		}
		if err := assign(sorted, selected, catalogue, setting{program, param, text, values}); err != nil {
			return nil, err
		}
	}
	return sorted, nil
}

// setting is a user's setting of one parameter.
type setting struct {
	program string // the program's name, or "" for all programs that have the parameter
	param   string // its name or letter
	text    string // the values as the user wrote them
	values  []int  // the values of text
}

// assign adds one setting to the settings of the program that it names, or of all selected programs
// that have the parameter.
func assign(sorted map[string]settings, selected, catalogue []*programs.Program, s setting) error {
	if ambiguous := namesakes(selected, s.param); s.program == "" && len(ambiguous) > 1 {
		return usagef("%q means something else for every program: write %s.%s=%s", s.param, ambiguous[0].Name, s.param, s.text)
	}
	var known []string
	used := false
	for _, p := range selected {
		if s.program != "" && p.Name != s.program {
			continue
		}
		known = append(known, p.ParamNames()...)
		if found, ok := p.Param(s.param); ok {
			sorted[p.Name][found.Name] = s.values
			used = true
		}
	}
	switch {
	case used:
		return nil
	case known != nil:
		slices.Sort(known)
		return unknown("parameter", s.param, slices.Compact(known))
	case slices.Contains(ProgramNames(catalogue), s.program):
		return usagef("the setting %s.%s=%s is for a program that is not to be measured", s.program, s.param, s.text)
	default:
		return unknown("program", s.program, ProgramNames(catalogue))
	}
}

// namesakes returns the programs for which the name is their own: the size, or a parameter with
// that letter.
func namesakes(selected []*programs.Program, name string) []*programs.Program {
	var some []*programs.Program
	for _, p := range selected {
		if found, ok := p.Param(name); ok && (name == programs.Size || name == found.Letter) {
			some = append(some, p)
		}
	}
	return some
}
