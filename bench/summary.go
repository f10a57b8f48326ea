package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteSummary writes what a user gains and loses by freerun: a line for each thing to do, with
// freerun's time, plain Go's, that of the fastest variant without freerun, and the ratio of freerun
// to that one with its range. The lines are in three groups, gains first, and in the order of the
// ratios. rows came from the plan; of several numbers of processors the greatest counts. Where
// variants to compare with are missing, a line says which. No line of the table is wider than width
// columns, unless width is less than 40; 0 means any width.
func (p *Plan) WriteSummary(w io.Writer, rows []Row, width int) error {
	if len(rows) == 0 {
		return nil
	}
	processors := rows[0].Processors
	for _, r := range rows {
		processors = max(processors, r.Processors)
	}
	answers, absent := p.replies(rows, processors)
	if len(answers) == 0 {
		return p.WriteTable(w, rows)
	}
	var out strings.Builder
	out.WriteString(wrap(p.headline(rows, processors), width))
	out.WriteString("\n")
	out.WriteString(layOut(answers, width))
	out.WriteString("\n")
	for _, line := range p.closing(rows, answers, absent) {
		out.WriteString(wrap(line, width))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// headline says what was measured, and where.
func (p *Plan) headline(rows []Row, processors int) string {
	words := []string{"freerun beside plain Go and other libraries"}
	if len(p.absentRivals()) > 0 {
		words[0] = "freerun beside plain Go"
	}
	words = append(words, "on "+plural(processors, "processor"))
	o := rows[0].Origin
	for _, word := range []string{o.Machine, o.Go} {
		if word != "" {
			words = append(words, word)
		}
	}
	if o.Commit != "" {
		words = append(words, "commit "+o.Commit)
	}
	return strings.Join(words, ", ")
}

// closing explains the table.
func (p *Plan) closing(rows []Row, answers []reply, absent []string) []string {
	var count [unanswered + 1]int
	for _, a := range answers {
		count[a.verdict]++
	}
	lines := []string{fmt.Sprintf("Gains: %d, losses: %d, neither: %d. Times are of one operation, the median of %s at sizes that fit into a minute. The ratio is freerun's time to the best one's; "+
		"its range is over the runs, in which the variants take turns.", count[gain], count[lose], count[even], runs(p.groups(rows)))}
	if names := p.absentRivals(); len(names) > 0 {
		lines = append(lines, fmt.Sprintf("Without other libraries: %s; --rivals measures them beside.", strings.Join(names, ", ")))
	}
	if len(absent) > 0 {
		lines = append(lines, fmt.Sprintf("Not measured: %s.", strings.Join(absent, ", ")))
	}
	more := "freerun bench --details has every variant"
	if len(p.processors) > 1 {
		more += " and number of processors"
	}
	return append(lines, more+"; freerun bench fib measures one program at its full size.")
}

// headings begin the groups of the table.
var headings = [...]string{
	gain:       "You gain: freerun is faster than the best other, in every run",
	even:       "Neither: faster in some runs, slower in others",
	lose:       "You lose: freerun is slower than the best other, in every run",
	unanswered: "Not compared",
}

// layout says which parts of the table there are. A narrow terminal has fewer.
type layout struct{ names, spread, plain bool }

// layouts are from the widest to the narrowest.
var layouts = []layout{
	{names: true, spread: true, plain: true},
	{spread: true, plain: true},
	{plain: true},
	{},
}

// leastQuestion is the number of letters of a question that the narrowest table shows.
const leastQuestion = 10

// layOut writes the table in the widest layout that fits. If none does, the questions are cut.
func layOut(answers []reply, width int) string {
	var cells [][]string
	for _, l := range layouts {
		cells = l.cells(answers)
		if width <= 0 || total(columns(cells)) <= width {
			return draw(answers, cells, width)
		}
	}
	over := total(columns(cells)) - width
	longest := max(leastQuestion, columns(cells)[0]-over)
	for _, line := range cells {
		line[0] = cut(line[0], longest)
	}
	return draw(answers, cells, width)
}

// cells returns the table's cells, the header first.
func (l layout) cells(answers []reply) [][]string {
	line := func(asks, own, plain, best, ratio, spread string) []string {
		cells := []string{asks, own}
		if l.plain {
			cells = append(cells, plain)
		}
		cells = append(cells, best, ratio)
		if l.spread {
			cells = append(cells, spread)
		}
		return cells
	}
	all := [][]string{line("", "freerun", "plain Go", "best other", "ratio", "range")}
	for _, a := range answers {
		best, ratio, spread := "?", "?", ""
		if a.verdict != unanswered {
			best, ratio, spread = l.time(a.best), share(a.ratio), share(a.low)+" to "+share(a.high)
			if l.plain && a.best.Variant == a.plain.Variant {
				best = "the same"
			}
		} else if l.spread {
			spread = "without " + strings.Join(a.missing, ", ")
		}
		all = append(all, line(a.asks, l.time(a.freerun), l.time(a.plain), best, ratio, spread))
	}
	return all
}

// time writes a row's time, and the name of its variant. A row that was not measured is "?".
func (l layout) time(r Row) string {
	switch {
	case r.Program == "":
		return "?"
	case l.names:
		return duration(r.NsPerOp) + " " + r.Variant
	}
	return duration(r.NsPerOp)
}

// duration writes nanoseconds with a unit and at most three digits, or four of them in a row.
func duration(ns float64) string {
	for _, unit := range []string{"ns", "µs", "ms"} {
		switch {
		case ns < 9.995:
			return strconv.FormatFloat(ns, 'f', 1, 64) + " " + unit
		case ns < 9999.5:
			return strconv.FormatFloat(ns, 'f', 0, 64) + " " + unit
		}
		ns /= 1000
	}
	return strconv.FormatFloat(ns, 'f', 1, 64) + " s"
}

// share writes a ratio with two digits behind the point, or with one from 10 on.
func share(x float64) string {
	if x < 9.995 {
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// gap is between two columns.
const gap = 2

// indent is before a question.
const indent = 1

// columns returns the width of each column.
func columns(cells [][]string) []int {
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// total returns the width of a table with columns of these widths.
func total(widths []int) int {
	n := indent - gap
	for _, w := range widths {
		n += gap + w
	}
	return n
}

// draw writes the header, and the answers below the headings of their groups.
func draw(answers []reply, cells [][]string, width int) string {
	var out strings.Builder
	widths := columns(cells)
	number := len(cells[0]) - 1 // the column of ratios: the last but the range
	if slices.Contains(cells[0], "range") {
		number--
	}
	write := func(line []string) {
		var text strings.Builder
		text.WriteString(strings.Repeat(" ", indent))
		for i, cell := range line {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == number {
				cell, space = space+cell, ""
			}
			text.WriteString(cell + space + strings.Repeat(" ", gap))
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	write(cells[0])
	for i, a := range answers {
		if i == 0 || answers[i-1].verdict != a.verdict {
			heading := headings[a.verdict]
			if width > 0 {
				heading = cut(heading, max(width, leastQuestion))
			}
			out.WriteString(heading + "\n")
		}
		write(cells[i+1])
	}
	return out.String()
}

// cut shortens a text to that many letters.
func cut(text string, letters int) string {
	if utf8.RuneCountInString(text) <= letters {
		return text
	}
	return string([]rune(text)[:letters-1]) + "…"
}

// wrap breaks a text into lines of at most width columns, each with its end. A word that is longer
// has a line of its own.
func wrap(text string, width int) string {
	if width <= 0 {
		width = anyWidth
	}
	var out strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			out.WriteString("\n")
			column = 0
		default:
			out.WriteString(" ")
			column++
		}
		out.WriteString(word)
		column += n
	}
	return out.String() + "\n"
}

// anyWidth is the width of text for what is no terminal.
const anyWidth = 120
