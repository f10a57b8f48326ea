package memory

import (
	"slices"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/alloc"
)

// Program is the program alloc, with the rival among its variants where there is one.
var Program = withRivals(alloc.Program)

// withRivals returns a program with more variants.
func withRivals(p *programs.Program) *programs.Program {
	wider := *p
	wider.Variants = slices.Concat(p.Variants, rivals)
	return &wider
}
