// Package programtest has what the tests of all programs share.
package programtest

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun/programs"
)

// Run runs every variant of the program with 1, 2 and 5 processors. It fails the test unless each
// run has the expected checksum and at least one operation in a measurable time. It returns the
// results by variant and processors, for tests that look closer.
func Run(t *testing.T, p *programs.Program, values programs.Values) map[string]programs.Result {
	t.Helper()
	results := make(map[string]programs.Result)
	for _, variant := range p.Variants {
		for _, processors := range []int{1, 2, 5} {
			name := fmt.Sprintf("%s/%d", variant.Name, processors)
			t.Run(fmt.Sprintf("%s/%v", name, values), func(t *testing.T) {
				r, err := p.Run(variant, programs.Config{Processors: processors, Values: values})
				if err != nil {
					t.Fatal(err)
				}
				if r.Operations == 0 || r.Elapsed <= 0 {
					t.Errorf("%d operations in %v, want some in a measurable time", r.Operations, r.Elapsed)
				}
				results[name] = r
			})
		}
	}
	return results
}

// Figure returns the value of a result's figure, and fails the test if there is none of that name.
func Figure[T any](t *testing.T, r programs.Result, name string) T {
	t.Helper()
	for _, f := range r.Figures {
		if f.Name == name {
			v, ok := f.Value.(T)
			if !ok {
				t.Fatalf("figure %s is a %T, want a %T", name, f.Value, v)
			}
			return v
		}
	}
	t.Fatalf("no figure %s among %v", name, r.Figures)
	panic("unreachable")
}
