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

// Run is what a report is of.
type Run struct {
	// Rows are what was measured, or simulated.
	Rows []bench.Row
	// Partial says why rows are missing that were to be there, in a sentence; "" if none are.
	Partial string
	// Note is a remark about the run, in a sentence; "" for none.
	Note string
}

// ErrNothing is returned for a run of whose rows no figure can be drawn.
var ErrNothing = errors.New("there is nothing to draw: none of the report's figures is made of what was measured")

// drawn is a figure with what was drawn of a run.
type drawn struct {
	figure
	charts []chart
	used   rows
}

// drawAll draws all figures of a section that the rows have something for, and returns the others, too.
func drawAll(s section, all rows) (made []drawn, missing []figure) {
	for _, f := range s.figures {
		charts, used := f.draw(all)
		if len(charts) == 0 {
			missing = append(missing, f)
			continue
		}
		made = append(made, drawn{f, charts, used})
	}
	return made, missing
}

// Write writes the page of a run. It returns [ErrNothing], and has written nothing, if there is no figure that can be drawn. Any goroutine may call it.
func Write(w io.Writer, run Run) error {
	p := newPage(run)
	if len(p.Sections) == 0 {
		return ErrNothing
	}
	return p.write(w)
}

// WriteSVGs writes every chart that can be drawn to a file of its own in dir, which it makes if it has to, and returns their names. Each
// follows the theme of whoever looks at it.
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

// fileName names the i-th chart of a figure.
func fileName(f drawn, i int) string {
	if len(f.charts) == 1 {
		return f.id + ".svg"
	}
	return fmt.Sprintf("%s-%d.svg", f.id, i+1)
}

// origins says where the rows are from: each value of a field once. Rows of several machines are told apart by nothing but this.
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
	return strings.Join(values, "; ")
}
