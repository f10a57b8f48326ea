package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/freerun-go/freerun/bench"
)

// progress shows the progress of a bench. Its zero value shows nothing.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress returns a bar for that many measurements if w is a terminal, and otherwise a progress
// that shows nothing.
func newProgress(w io.Writer, measurements int) progress {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return progress{}
	}
	return progress{progressbar.NewOptions(measurements,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// step shows the measurement that is about to begin. That counts the measurements before it as
// done.
func (p progress) step(s bench.Step, done int) {
	if p.bar == nil {
		return
	}
	p.bar.Describe(fmt.Sprintf("%-22s", fmt.Sprintf("%s/%s, %d proc", s.Program, s.Variant, s.Processors)))
	_ = p.bar.Set(done)
}

// end removes the bar, so that no trace of it is left beside the table.
func (p progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// columns returns the width of the terminal that w is, or 0 if it is none.
func columns(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
