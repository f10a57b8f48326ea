package catalogue_test

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// TestRuntimesAreMadeByTheHook: the hook of a measurement makes each runtime that a program is
// measured on, so that it can be traced or simulated.
func TestRuntimesAreMadeByTheHook(t *testing.T) {
	// These programs measure containers and memory, without a runtime.
	without := []string{"cas", "queues", "locks", "alloc", "trees", "records"}
	for _, p := range catalogue.WithRivals() {
		smallest := make(map[string]int)
		for _, param := range p.Params {
			if param.Name == programs.Size {
				smallest[param.Name] = param.Min
			}
		}
		values, err := p.Values(true, smallest)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Variants {
			if v.Kind != programs.Freerun || v.Fits != nil && !v.Fits(values) {
				continue
			}
			made := 0
			_, err := p.Run(v, programs.Config{Processors: 1, Values: values, Runtime: func(options ...freerun.Option) *freerun.Runtime {
				made++
				return freerun.New(options...)
			}})
			if err != nil {
				t.Errorf("%s/%s: %v", p.Name, v.Name, err)
			}
			if want := !slices.Contains(without, p.Name); made > 0 != want {
				t.Errorf("%s/%s made %d runtimes by the hook", p.Name, v.Name, made)
			}
		}
	}
}
