package main

import (
	"fmt"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// subject is one program that is compared, in one variant.
type subject struct {
	program *programs.Program
	variant programs.Variant
	values  programs.Values
}

// compared lists the programs, each in the variant that stands for freerun. At the given sizes one
// run takes 50 to 400 ms on a processor of 2022: long enough for the clock and some garbage
// collections, short enough for a pair to share the machine's mood. Work between the messages,
// where a program has such a parameter, is 0, because it would hide a difference.
var compared = []struct {
	program, variant string
	values           map[string]int
}{
	{"fib", "futures", map[string]int{"size": 27}},
	{"pingpong", "units", map[string]int{"size": 1_000_000}},
	{"fanin", "units", map[string]int{"size": 2_000_000}},
	{"submit", "tell", map[string]int{"size": 1_000_000}},
	{"skynet", "futures", map[string]int{"size": 500_000}},
	{"bank", "units", map[string]int{"size": 300_000, "work": 0}},
	{"ddb", "units", map[string]int{"size": 10_000}},
	{"switch", "activities", map[string]int{"size": 1_000_000}},
	{"create", "activities", map[string]int{"size": 400_000, "batch": 10_000}},
	{"hot", "units", map[string]int{"size": 400}},
	{"tick", "units", map[string]int{"size": 200}},
}

// subjects finds the compared programs in the catalogue.
func subjects(catalogue []*programs.Program) ([]subject, error) {
	var all []subject
	for _, c := range compared {
		s, err := find(catalogue, c.program, c.variant)
		if err != nil {
			return nil, err
		}
		if s.values, err = s.program.Values(false, c.values); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// activities is the variant that is written with activities.
const activities = "activities"

// sizes has a run of each program that is written with activities take 50 to 400 ms.
var sizes = map[string]map[string]int{
	"city":         {"size": 10_000},
	"create":       {"size": 400_000, "batch": 10_000},
	"eratosthenes": {"size": 20_000},
	"mandelbrot":   {"size": 300},
	"matrix":       {"size": 300},
	"news":         {"size": 2_000},
	"producer":     {"size": 100_000},
	"switch":       {"size": 1_000_000},
	"tokenring":    {"rounds": 500},
}

// cooperating finds the programs that are written with activities.
func cooperating(catalogue []*programs.Program) (all []subject, err error) {
	for _, p := range catalogue {
		v, ok := p.Variant(activities)
		if !ok {
			continue
		}
		s := subject{program: p, variant: v}
		if s.values, err = p.Values(false, sizes[p.Name]); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// find returns the program and variant of these names.
func find(catalogue []*programs.Program, program, variant string) (subject, error) {
	for _, p := range catalogue {
		if v, ok := p.Variant(variant); ok && p.Name == program {
			return subject{program: p, variant: v}, nil
		}
	}
	return subject{}, fmt.Errorf("there is no %s/%s", program, variant)
}

// names lists the programs of the subjects.
func names(all []subject) string {
	var list []string
	for _, s := range all {
		list = append(list, s.program.Name)
	}
	return strings.Join(list, ", ")
}
