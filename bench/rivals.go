package bench

import (
	"slices"

	"github.com/freerun-go/freerun/programs"
)

// Rivals take part only on request, because they take time and a user compares with plain Go first.
// To name a rival is to request it. Where rivals do not take part, ratios are to the fastest
// variant in plain Go, and the legend says so.

// rivalsTakePart reports whether the program's rivals take part in ratios. A rival that takes part
// need not be measured itself.
func (r *Request) rivalsTakePart(p *programs.Program) bool {
	return r.Rivals || slices.ContainsFunc(p.Variants, func(v programs.Variant) bool {
		return v.Kind == programs.Rival && slices.Contains(r.Variants, v.Name)
	})
}

// withoutRivals returns the variants that are written with freerun or plain Go.
func withoutRivals(all []programs.Variant) []programs.Variant {
	var some []programs.Variant
	for _, v := range all {
		if v.Kind != programs.Rival {
			some = append(some, v)
		}
	}
	return some
}

// absentRivals returns the names of the programs that have rivals, none of which takes part.
func (p *Plan) absentRivals() []string {
	var names []string
	for _, j := range p.jobs {
		could := len(withoutRivals(j.program.Variants)) < len(j.program.Variants)
		if could && len(withoutRivals(j.all)) == len(j.all) && !slices.Contains(names, j.program.Name) {
			names = append(names, j.program.Name)
		}
	}
	return names
}
