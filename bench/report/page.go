package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/bench"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// page holds the data of the template.
type page struct {
	CSS      template.CSS
	JS       template.JS
	Partial  string
	Note     string
	Facts    []fact
	Sections []pageSection
	Missing  []pageFigure
	Runs     string
}

// fact is a line about the run.
type fact struct{ Name, Value string }

type pageSection struct {
	ID, Title, Source string
	Figures           []pageFigure
}

type pageFigure struct {
	ID, Title, Source, About, Printed, Command string
	Charts                                     []template.HTML
	Table                                      [][]string // the numbers that the paper prints
	Rows                                       [][]string // the measured rows
	Origins                                    []string   // where the rows are from
	Verdicts                                   []verdict
}

func newPage(run Run) page {
	p := page{
		CSS:     template.CSS(themes() + pageCSS), // safe: both are part of this package
		JS:      template.JS(pageJS),
		Partial: run.Partial,
		Note:    run.Note,
		Runs:    runs(run.Rows),
	}
	for _, f := range []struct {
		name string
		of   func(bench.Origin) string
	}{
		{"Machine", func(o bench.Origin) string { return o.Machine }},
		{"System", func(o bench.Origin) string { return o.System }},
		{"Go", func(o bench.Origin) string { return o.Go }},
		{"Commit", func(o bench.Origin) string { return o.Commit }},
		{"Date", func(o bench.Origin) string { return o.Date }},
		{"Command", func(o bench.Origin) string { return o.Command }},
	} {
		p.Facts = append(p.Facts, fact{f.name, origins(run.Rows, f.of)})
	}
	for _, s := range sections() {
		made, missing := drawAll(s, sound(run.Rows))
		for _, f := range missing {
			p.Missing = append(p.Missing, pageFigure{ID: f.id, Title: f.title, Source: f.source, Command: f.command})
		}
		if len(made) == 0 {
			continue
		}
		out := pageSection{ID: s.id, Title: s.title, Source: s.source}
		for _, f := range made {
			out.Figures = append(out.Figures, f.page())
		}
		p.Sections = append(p.Sections, out)
	}
	return p
}

// page returns the template's data of a figure.
func (f drawn) page() pageFigure {
	out := pageFigure{
		ID: f.id, Title: f.title, Source: f.source, About: f.about, Printed: f.printed, Command: f.command, Table: f.table, Rows: f.used.table(),
		Origins: f.used.sources(), Verdicts: f.verdicts,
	}
	for _, c := range f.charts {
		// Safe: svg escapes its texts.
		out.Charts = append(out.Charts, template.HTML(svg(c, c.name(), false)))
	}
	return out
}

func (p page) write(w io.Writer) error { return pageTemplate.Execute(w, p) }

// runs says of how many runs the rows are.
func runs(all rows) string {
	counts := distinct(all.real(), func(r bench.Row) int { return r.Runs })
	switch {
	case len(counts) == 0:
		return "no runs"
	case counts[0] == counts[len(counts)-1]:
		return plural(counts[0], "run")
	}
	return fmt.Sprintf("%d to %d runs", counts[0], counts[len(counts)-1])
}

// table returns the rows as a table for readers, the header first.
func (all rows) table() [][]string {
	table := [][]string{{"program", "variant", "processors", "parameters", "ns/op", "least to greatest", "CPU ns/op", "allocs/op", "runs"}}
	for _, r := range all {
		words := []string{"size " + precise(float64(r.Size))}
		for _, s := range r.Params {
			words = append(words, fmt.Sprintf("%s %s", s.Name, precise(float64(s.Value))))
		}
		cpu := ""
		if r.CPUNsPerOp > 0 {
			cpu = precise(r.CPUNsPerOp)
		}
		count := precise(float64(r.Runs))
		if r.Simulated {
			count = "simulated"
		}
		table = append(table, []string{
			r.Program, r.Variant, fmt.Sprint(r.Processors), strings.Join(words, ", "), precise(r.NsPerOp),
			precise(low(r.NsMin, r.NsPerOp)) + " to " + precise(max(r.NsMax, r.NsPerOp)), cpu, precise(r.AllocsPerOp), count,
		})
	}
	return table
}

// sources says where the rows are from, a line for those of each run.
func (all rows) sources() []string {
	var lines []string
	for _, r := range all {
		o, how := r.Origin, "Measured"
		if r.Simulated {
			how = "Simulated"
		}
		var words []string
		for _, word := range []string{o.Date, o.Machine, o.Go, o.Command} {
			if word != "" {
				words = append(words, word)
			}
		}
		if o.Commit != "" {
			words = append(words, "commit "+o.Commit)
		}
		line := how + ": " + strings.Join(words, ", ") + "."
		if len(words) > 0 && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// themes returns the rules for the colours of drawings: light, dark where the system asks for it,
// and the reader's choice.
func themes() string {
	return sheet(0, "") +
		"@media(prefers-color-scheme:dark){" + sheet(1, ":root:not([data-theme=light]) ") + "}" +
		sheet(1, ":root[data-theme=dark] ") + "\n"
}
