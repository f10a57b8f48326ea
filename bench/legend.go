package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// rivalMark stands behind the ratio of the fastest variant without freerun.
const rivalMark = "*"

// group holds the rows of one program, at one of its points, with one number of processors: rows
// that can be compared.
type group struct {
	rows    []Row
	rival   int      // the fastest row without freerun, or -1 for none
	missing []string // the variants to compare with that were not measured
}

// groups divides rows, which are in the order in which [Plan.Run] hands them out, into groups.
func (p *Plan) groups(rows []Row) []group {
	var groups []group
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && rows[end].alike(rows[i]) {
			end++
		}
		groups = append(groups, p.group(rows[i:end]))
		i = end
	}
	return groups
}

// group finds the rival among the rows of a group. A rival is named only if all variants to compare
// with were measured: the fastest of some would flatter freerun when a faster one was left out.
func (p *Plan) group(rows []Row) group {
	g := group{rows: rows, rival: -1}
	for _, j := range p.jobs {
		if j.program.Name != rows[0].Program || j.point != rows[0].Point {
			continue
		}
		for _, v := range j.all {
			measured := slices.ContainsFunc(rows, func(r Row) bool { return r.Variant == v.Name })
			if v.Kind.Compared() && !measured {
				g.missing = append(g.missing, v.Name)
			}
		}
	}
	return g.without(nil)
}

// without returns the group with the rival among the variants that are not named.
func (g group) without(names []string) group {
	unnamed := group{rows: g.rows, rival: -1}
	for _, name := range g.missing {
		if !slices.Contains(names, name) {
			unnamed.missing = append(unnamed.missing, name)
		}
	}
	if len(unnamed.missing) > 0 {
		return unnamed
	}
	for i, r := range g.rows {
		if r.Kind.Compared() && r.NsPerOp > 0 && !slices.Contains(names, r.Variant) && (unnamed.rival < 0 || r.NsPerOp < g.rows[unnamed.rival].NsPerOp) {
			unnamed.rival = i
		}
	}
	return unnamed
}

// ratio returns the time of a row as a multiple of the rival's, and the rival's mark. Both are
// empty if the row is not compared.
func (g group) ratio(i int) (ratio, mark string) {
	if g.rival < 0 || g.rows[i].Kind == programs.Baseline {
		return "", ""
	}
	if i == g.rival {
		mark = rivalMark
	}
	return fmt.Sprintf("%.2f", g.rows[i].NsPerOp/g.rows[g.rival].NsPerOp), mark
}

// legend explains the table's columns. It leaves out explanations that do not apply to this table.
func (p *Plan) legend(groups []group) string {
	var out strings.Builder
	if slices.ContainsFunc(groups, func(g group) bool { return g.rival >= 0 }) {
		fmt.Fprintf(&out, "%s the fastest variant without freerun; the ratios are to it. ", rivalMark)
	}
	fmt.Fprintf(&out, "ns/op is the median of %s.\n", runs(groups))
	for _, name := range baselines(groups) {
		fmt.Fprintf(&out, "%s is a baseline: no concurrency, not compared.\n", name)
	}
	for _, line := range p.withoutRatio(groups) {
		out.WriteString(line + "\n")
	}
	if names := p.absentRivals(); len(names) > 0 {
		fmt.Fprintf(&out, "without its rivals: %s; --rivals shows them beside.\n", strings.Join(names, ", "))
	}
	if name, ok := p.reduced(); ok {
		fmt.Fprintf(&out, "reduced sizes: for figures run the program by name, such as freerun bench %s\n", name)
	}
	return out.String()
}

// runs says of how many runs the rows are. After an interrupt some rows are of one run fewer than
// others.
func runs(groups []group) string {
	least, most := groups[0].rows[0].Runs, 0
	for _, g := range groups {
		for _, r := range g.rows {
			least, most = min(least, r.Runs), max(most, r.Runs)
		}
	}
	if least < most {
		return fmt.Sprintf("%d to %d runs", least, most)
	}
	return plural(most, "run")
}

// baselines returns the names of the baselines in the groups, each once.
func baselines(groups []group) []string {
	var names []string
	for _, g := range groups {
		for _, r := range g.rows {
			if r.Kind == programs.Baseline && !slices.Contains(names, r.Variant) {
				names = append(names, r.Variant)
			}
		}
	}
	return names
}

// withoutRatio says which programs have no ratio, and which variants are missing for it. A gap that
// several numbers of processors share is said once.
func (p *Plan) withoutRatio(groups []group) []string {
	type gap struct{ program, missing string }
	var gaps []gap
	processors := make(map[gap][]string)
	for _, g := range groups {
		if len(g.missing) == 0 {
			continue
		}
		verb := " was"
		if len(g.missing) > 1 {
			verb = " were"
		}
		at := gap{g.rows[0].Program, strings.Join(g.missing, " and ") + verb}
		if processors[at] == nil {
			gaps = append(gaps, at)
		}
		processors[at] = append(processors[at], fmt.Sprint(g.rows[0].Processors))
	}
	var lines []string
	for _, at := range gaps {
		with := ""
		if len(p.processors) > 1 {
			with = " with " + strings.Join(processors[at], ", ") + " processors"
		}
		lines = append(lines, fmt.Sprintf("no ratio for %s%s: %s not measured.", at.program, with, at.missing))
	}
	return lines
}

// reduced returns the first program that is measured at its reduced size. It returns false if there
// is none.
func (p *Plan) reduced() (string, bool) {
	for _, j := range p.jobs {
		if j.reduced {
			return j.program.Name, true
		}
	}
	return "", false
}
