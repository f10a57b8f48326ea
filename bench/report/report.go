package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/bench"
)

// Run is the data of a report.
type Run struct {
	// Rows are the measured or simulated rows.
	Rows []bench.Row
	// Partial says, in a sentence, why rows are missing; "" if none are missing.
	Partial string
	// Note is a remark about the run, in a sentence; "" for none.
	Note string
}

// ErrNothing is returned for a run from whose rows no figure can be drawn.
var ErrNothing = errors.New("there is nothing to draw: no figure of the report has rows among those measured; run more programs, or all of them")

// drawn is a figure with its charts of a run.
type drawn struct {
	figure
	charts   []chart
	used     rows
	verdicts []verdict
}

// drawAll draws all figures of a section that the rows suffice for. It also returns the other
// figures.
func drawAll(s section, all rows) (made []drawn, missing []figure) {
	for _, f := range s.figures {
		charts, used := f.draw(all)
		if len(charts) == 0 {
			missing = append(missing, f)
			continue
		}
		made = append(made, drawn{f, charts, used, f.verdicts(all)})
	}
	return made, missing
}

// Write writes the page of a run. If no figure can be drawn, it returns [ErrNothing] and writes
// nothing. Any goroutine may call it.
func Write(w io.Writer, run Run) error {
	p := newPage(run)
	if len(p.Sections) == 0 {
		return ErrNothing
	}
	return p.write(w)
}

// WriteSVGs writes every chart that can be drawn to a file of its own in dir, and returns the
// files' names. It makes dir if necessary. Each file follows its viewer's light or dark theme.
func WriteSVGs(dir string, run Run) (names []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for _, s := range sections() {
		made, _ := drawAll(s, sound(run.Rows))
		for _, f := range made {
			for i, c := range f.charts {
				name := fileName(f, i)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(svg(c, c.name(), true)), 0o666); err != nil {
					return names, err
				}
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, ErrNothing
	}
	return names, nil
}

// fileName returns the name of the file of the i-th chart of a figure.
func fileName(f drawn, i int) string {
	if len(f.charts) == 1 {
		return f.id + ".svg"
	}
	return fmt.Sprintf("%s-%d.svg", f.id, i+1)
}

// origins says where the rows are from: each value of a field of their origins, once. Nothing else
// tells rows of several machines apart.
func origins(all rows, field func(bench.Origin) string) string {
	var values []string
	for _, r := range all {
		if v := field(r.Origin); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return "not recorded"
	}
	if more := len(values) - shownOrigins; more > 1 {
		values = append(values[:shownOrigins], fmt.Sprintf("and %d more, which stand below the figures", more))
	}
	return strings.Join(values, "; ")
}

// shownOrigins is the number of values of a field that the head of the page shows: rows that were
// measured in pieces are of one command for each program.
const shownOrigins = 3
