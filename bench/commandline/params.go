package commandline

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/freerun-go/freerun/programs"
)

// AddParams adds a flag for each parameter of a program, and one for the letter that its paper has
// for it. params gets the place of the values of each flag. Only --size is in the list of flags.
// The others stand in the list of programs, beside the programs that have them.
func AddParams(flags *pflag.FlagSet, catalogue []*programs.Program, params map[string]*[]string) {
	for _, p := range catalogue {
		for _, param := range p.Params {
			for _, name := range []string{param.Name, param.Letter} {
				if name == "" || params[name] != nil {
					continue
				}
				params[name] = new([]string)
				flags.StringSliceVar(params[name], name, nil, "the program's "+name+": `N`, or PROGRAM=N for each of several")
				flags.Lookup(name).Hidden = name != programs.Size
			}
		}
	}
}

// ParamSettings returns the settings that the flags of parameters stand for, by name. Several
// values of a flag for the same program become one setting with several values.
func ParamSettings(params map[string]*[]string) ([]string, error) {
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		at := make(map[string]int) // the index of a key's setting
		for _, value := range *params[name] {
			key, number, err := paramSetting(name, value)
			if err != nil {
				return nil, err
			}
			if i, again := at[key]; again {
				settings[i] += "," + number
				continue
			}
			at[key] = len(settings)
			settings = append(settings, key+"="+number)
		}
	}
	return settings, nil
}

// paramSetting splits a value of a parameter's flag into the parameter and the number.
func paramSetting(name, value string) (key, number string, err error) {
	program, number, ok := strings.Cut(value, "=")
	if !ok {
		program, number = "", value
	}
	if _, err := strconv.Atoi(strings.ReplaceAll(number, "_", "")); err != nil {
		return "", "", Usagef("--%s is %q, and must be a whole number such as 30, or PROGRAM=NUMBER such as fib=30", name, value)
	}
	if program == "" {
		return name, number, nil
	}
	return program + "." + name, number, nil
}

// Joined joins the parts of values that the flag --set has divided at their commas: a=1,2 is one
// setting with two values.
func Joined(settings []string) []string {
	var whole []string
	for _, s := range settings {
		if last := len(whole) - 1; last >= 0 && !strings.Contains(s, "=") {
			whole[last] += "," + s
			continue
		}
		whole = append(whole, s)
	}
	return whole
}
