package bench

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/freerun-go/freerun/programs"
)

// rivalMark stands behind the ratio of the best plain-Go variant.
const rivalMark = "*"

// WriteTable writes the rows as one table, and below it the further figures of the rows that have them. The last column
// is the time as a multiple of that of the fastest plain-Go variant of the same program with as many processors.
func WriteTable(w io.Writer, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	t.SetStyle(style)
	t.AppendHeader(table.Row{"program", "variant", "procs", "size", "ns/op", "min", "max", "allocs/op", "ratio", ""})
	right := func(name string) table.ColumnConfig {
		return table.ColumnConfig{Name: name, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	t.SetColumnConfigs([]table.ColumnConfig{
		right("procs"), right("size"), right("ns/op"), right("min"), right("max"), right("allocs/op"), right("ratio"),
	})
	for i, r := range rows {
		if i > 0 && (rows[i-1].Program != r.Program || rows[i-1].Processors != r.Processors) {
			t.AppendSeparator()
		}
		ratio, mark := "", ""
		if rival, ok := rivalOf(rows, r); ok {
			ratio = fmt.Sprintf("%.2f", r.NsPerOp/rival.NsPerOp)
			if rival.Variant == r.Variant {
				mark = rivalMark
			}
		}
		t.AppendRow(table.Row{
			r.Program, r.Variant, r.Processors, r.Size, decimal(r.NsPerOp), decimal(r.NsMin), decimal(r.NsMax),
			fmt.Sprintf("%.2f", r.AllocsPerOp), ratio, mark,
		})
	}
	var out strings.Builder
	out.WriteString(t.Render())
	fmt.Fprintf(&out, "\n%s the fastest plain-Go variant; the ratios are to it. ns/op is the median of %s.\n",
		rivalMark, plural(rows[0].Runs, "run"))
	writeFigures(&out, rows)
	_, err := io.WriteString(w, out.String())
	return err
}

// rivalOf returns the fastest plain-Go row that can be compared with r.
func rivalOf(rows []Row, r Row) (Row, bool) {
	var best Row
	found := false
	for _, other := range rows {
		if other.Kind != programs.PlainGo || other.Program != r.Program || other.Processors != r.Processors {
			continue
		}
		if !found || other.NsPerOp < best.NsPerOp {
			best, found = other, true
		}
	}
	return best, found && best.NsPerOp > 0
}

// writeFigures writes the further figures, a row's name first and a line for each.
func writeFigures(out *strings.Builder, rows []Row) {
	for _, r := range rows {
		if len(r.Figures) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s %s, %s\n", r.Program, r.Variant, plural(r.Processors, "processor"))
		for _, f := range r.Figures {
			fmt.Fprintf(out, "  %s: %s\n", f.Doc, figure(f.Value))
		}
	}
}

// figure writes a number, or the numbers of a slice in a row.
func figure(value any) string {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case []uint64:
		words := make([]string, len(v))
		for i, n := range v {
			words[i] = strconv.FormatUint(n, 10)
		}
		return strings.Join(words, " ")
	default:
		return fmt.Sprint(v)
	}
}

// decimal writes a time with as many decimals as its size deserves.
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
