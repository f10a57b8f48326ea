package memory

import (
	"slices"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/alloc"
)

// Program is the program alloc. The rival is among its variants where it builds.
var Program = withRivals(alloc.Program)

// withRivals returns a copy of a program with more variants.
func withRivals(p *programs.Program) *programs.Program {
	wider := *p
	wider.Variants = slices.Concat(p.Variants, rivals)
	return &wider
}
