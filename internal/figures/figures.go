// Package figures has the figures of modules that work for a runtime, as a store of durable units
// does, shown where those of the runtime are shown. Neither side imports the other:
//
//	the module                         what shows figures
//	Declare   once, when initialized   Declared  once, when it is made
//	Show      for a runtime            Of        whenever somebody looks
//
// The two sides and package freerun are of one version: this is no promise.
package figures

import (
	"slices"
	"strings"
	"sync"
)

// Figure describes a figure. It does not change.
type Figure struct {
	// Name is in words with dots, the module's first: "durable.commits".
	Name string
	// Unit is "s", "By" for bytes, or what is counted, in braces: "{commit}".
	Unit string
	Help string // a sentence
	// Grows says that it counts from the beginning of the module's work, and never gets less.
	Grows bool
	// Label says what tells its values apart, as "kind"; empty for a figure with one value.
	Label string
}

// Metric returns the name that Prometheus's conventions give a figure, behind a prefix.
func (f *Figure) Metric() string {
	name := strings.ReplaceAll(f.Name, ".", "_")
	switch f.Unit {
	case "s":
		name += "_seconds"
	case "By":
		name += "_bytes"
	}
	if f.Grows {
		name += "_total"
	}
	return name
}

// Value is a figure of a runtime at one time.
type Value struct {
	Of    *Figure
	Label string // the value of its label; empty for one without
	Value float64
}

var (
	mu       sync.Mutex
	declared []*Figure
	sources  = map[any][]*source{} // by their runtimes
)

// source is a module that works for a runtime.
type source struct{ values func() []Value }

// Declare tells of a figure. Call it when the package is initialized: what shows figures asks once
// which ones there are. It panics if there is one of that name.
func Declare(f Figure) *Figure {
	mu.Lock()
	defer mu.Unlock()
	for _, other := range declared {
		if other.Name == f.Name || other.Metric() == f.Metric() {
			panic("figures: two of the name " + f.Name)
		}
	}
	declared = append(declared, &f)
	return &f
}

// Declared returns all figures that were declared, in that order. Any goroutine may call it.
func Declared() []*Figure {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(declared)
}

// Show has values, which must not wait, called for the figures of rt, a *freerun.Runtime, by any
// goroutine, until hide is called: no call begins later. Without hide rt is kept for good. Any
// goroutine may call Show and hide; they do not wait.
func Show(rt any, values func() []Value) (hide func()) {
	s := &source{values}
	mu.Lock()
	defer mu.Unlock()
	sources[rt] = append(sources[rt], s)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		left := slices.DeleteFunc(slices.Clone(sources[rt]), func(x *source) bool { return x == s })
		if sources[rt] = left; len(left) == 0 {
			delete(sources, rt)
		}
	}
}

// Of returns the figures of rt, a *freerun.Runtime, nil if no module shows any. Any goroutine may
// call it; it does not wait.
func Of(rt any) (all []Value) {
	mu.Lock()
	some := sources[rt]
	mu.Unlock()
	for _, s := range some {
		all = append(all, s.values()...)
	}
	return all
}
