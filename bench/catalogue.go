package bench

import (
	"slices"

	"github.com/freerun-go/freerun/programs"
)

// ProgramNames returns the names of the programs, in their order.
func ProgramNames(all []*programs.Program) []string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	return names
}

// VariantNames returns the names of the variants of the programs, each once, in order of
// appearance.
func VariantNames(all []*programs.Program) []string {
	var names []string
	for _, p := range all {
		for _, v := range p.Variants {
			if !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	return names
}
