package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/freerun-go/freerun/programs"
)

// WriteTable writes one table of rows that came from the plan. Below it stand a legend, and the
// further figures of the rows that have them. The last column is the time as a multiple of the
// rival's: the rival is the fastest variant without freerun of the same program, at the same point,
// with as many processors. The column is empty where no rival was measured.
func (p *Plan) WriteTable(w io.Writer, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	t.SetStyle(style)
	pointed := slices.ContainsFunc(rows, func(r Row) bool { return r.Point != "" })
	cells := func(program, point string, rest ...any) table.Row {
		if pointed {
			return append(table.Row{program, point}, rest...)
		}
		return append(table.Row{program}, rest...)
	}
	t.AppendHeader(cells("program", "parameters", "variant", "procs", "size", "ns/op", "min", "max", "allocs/op", "ratio", ""))
	right := func(name string) table.ColumnConfig {
		return table.ColumnConfig{Name: name, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	t.SetColumnConfigs([]table.ColumnConfig{
		right("procs"), right("size"), right("ns/op"), right("min"), right("max"), right("allocs/op"), right("ratio"),
	})
	groups := p.groups(rows)
	for _, g := range groups {
		for i, r := range g.rows {
			ratio, mark := g.ratio(i)
			t.AppendRow(cells(
				r.Program, r.Point, r.Variant, r.Processors, r.Size, decimal(r.NsPerOp), decimal(r.NsMin), decimal(r.NsMax),
				fmt.Sprintf("%.2f", r.AllocsPerOp), ratio, mark,
			))
		}
		t.AppendSeparator()
	}
	var out strings.Builder
	out.WriteString(t.Render())
	out.WriteString("\n" + p.legend(groups))
	writeFigures(&out, rows)
	_, err := io.WriteString(w, out.String())
	return err
}

// writeFigures writes the further figures of each row: the row's name, then a line for each figure.
func writeFigures(out *strings.Builder, rows []Row) {
	for _, r := range rows {
		if len(r.Figures) == 0 {
			continue
		}
		at := ""
		if r.Point != "" {
			at = ", " + r.Point
		}
		fmt.Fprintf(out, "\n%s %s%s, %s\n", r.Program, r.Variant, at, plural(r.Processors, "processor"))
		for _, f := range r.Figures {
			fmt.Fprintf(out, "  %s\n", figure(f))
		}
	}
}

// figure writes a figure on one line.
func figure(f programs.Figure) string {
	switch v := f.Value.(type) {
	case float64:
		return f.Doc + ": " + strconv.FormatFloat(v, 'f', 0, 64)
	case []uint64:
		if len(f.Labels) != len(v) {
			return f.Doc + ": " + numbers(v)
		}
		parts := make([]string, len(v))
		for i, n := range v {
			parts[i] = fmt.Sprintf("%s: %d", f.Labels[i], n)
		}
		return strings.Join(parts, ", ")
	default:
		return fmt.Sprintf("%s: %v", f.Doc, v)
	}
}

// shownNumbers is the number of numbers of one figure that the table shows.
const shownNumbers = 16

// numbers writes the first numbers in a row, and says how many more there are.
func numbers(all []uint64) string {
	words := make([]string, 0, shownNumbers)
	for _, n := range all[:min(len(all), shownNumbers)] {
		words = append(words, strconv.FormatUint(n, 10))
	}
	line := strings.Join(words, " ")
	if more := len(all) - len(words); more > 0 {
		line += fmt.Sprintf(" … and %d more", more)
	}
	return line
}

// decimal writes a time with fewer decimals the greater it is.
func decimal(x float64) string {
	if x < 10 {
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
