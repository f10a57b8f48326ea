package programs

import (
	"fmt"
	"slices"
	"strings"
)

// Size is the name of the parameter that every program has and that scales its work.
const Size = "size"

// Param is a parameter of a program: an integer within bounds.
type Param struct {
	Name string // what a user types
	// The name in its paper, which users may type instead; mostly "".
	Letter  string
	Doc     string // one line
	Default int    // the value for a measurement worth reporting
	Quick   int    // the value for a run that ends within a second
	Min     int    // the least value that makes sense
	Max     int    // the greatest value that makes sense
}

// Values are a program's parameters with their values. [Program.Values] makes them. They are not
// written afterwards, so any goroutine may read them.
type Values map[string]int

// Get returns the value of a parameter. It panics if the program has no such parameter, which is a
// mistake in the program, not a user's.
func (v Values) Get(name string) int {
	n, ok := v[name]
	if !ok {
		panic("programs: no parameter " + name)
	}
	return n
}

// ParamError says which value of which parameter is wrong, and what would be right.
type ParamError struct {
	Program string   // the program's name
	Name    string   // the parameter's name
	Value   int      // the value that was asked for
	Param   *Param   // nil if there is no parameter of that name
	Known   []string // the parameters that exist
}

// Error implements error.
func (e *ParamError) Error() string {
	if e.Param == nil {
		return fmt.Sprintf("%s has no parameter %q; it has %s", e.Program, e.Name, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("%s: %s is %d, and must be from %d to %d", e.Program, e.Name, e.Value, e.Param.Min, e.Param.Max)
}

// Values returns the program's parameters with their default values, or with those for a quick run,
// except those that set overrides. An unknown name, or a value out of bounds, is a [*ParamError].
func (p *Program) Values(quick bool, set map[string]int) (Values, error) {
	v := make(Values, len(p.Params))
	for _, param := range p.Params {
		v[param.Name] = param.Default
		if quick {
			v[param.Name] = param.Quick
		}
	}
	for name, n := range set {
		i := slices.IndexFunc(p.Params, func(param Param) bool { return param.Name == name })
		if i < 0 {
			return nil, &ParamError{Program: p.Name, Name: name, Value: n, Known: p.ParamNames()}
		}
		if param := p.Params[i]; n < param.Min || n > param.Max {
			return nil, &ParamError{Program: p.Name, Name: name, Value: n, Param: &param}
		}
		v[name] = n
	}
	return v, nil
}

// Param returns the parameter with that name or letter, and whether the program has one.
func (p *Program) Param(name string) (Param, bool) {
	i := slices.IndexFunc(p.Params, func(param Param) bool {
		return name != "" && (param.Name == name || param.Letter == name)
	})
	if i < 0 {
		return Param{}, false
	}
	return p.Params[i], true
}

// ParamNames returns the names of the program's parameters, "size" first.
func (p *Program) ParamNames() []string {
	names := make([]string, len(p.Params))
	for i, param := range p.Params {
		names[i] = param.Name
	}
	return names
}
