package bench

import (
	"context"
	"errors"
	"runtime"

	"github.com/freerun-go/freerun/programs"
)

// ErrInterrupted is returned by [Plan.Run] when its context ended before the last measurement. The
// rows handed out until then hold the completed measurements.
var ErrInterrupted = errors.New("interrupted: the figures are of fewer runs than planned, or missing")

// Step tells an observer which measurement is about to begin.
type Step struct {
	Program    string // the program's name
	Variant    string // the variant's name
	Processors int    // the number of processors
	Run        int    // which of the runs, from 0
}

// cell gathers the measurements of one variant with one number of processors.
type cell struct {
	variant    programs.Variant
	processors int
	samples    []programs.Result
}

// Run carries out the plan, program by program. As soon as a program is done, Run calls hand with a
// row for every variant and number of processors. If before is not nil, Run calls it ahead of every
// measurement. Both functions run on the caller's goroutine.
//
// Run waits until all is measured, an error occurs, or ctx ends, which it notices between two
// measurements. A wrong result is a [*programs.WrongResultError]; Run hands out the rows of the
// variants with right results all the same. Run changes GOMAXPROCS while it runs, and restores it
// at the end.
func (p *Plan) Run(ctx context.Context, before func(Step), hand func(Row) error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, j := range p.jobs {
		cells, failure := p.measure(ctx, j, before)
		for _, c := range cells {
			if len(c.samples) == 0 {
				continue
			}
			row := newRow(j, c)
			row.Simulated = p.simulated
			if err := hand(row); err != nil {
				return errors.Join(failure, err)
			}
		}
		if failure != nil {
			return failure
		}
	}
	return nil
}

// measure lets the variants of one program take turns. On an error it returns the cells as they are
// then, without the samples of the cell that failed: after one fault, its other figures cannot be
// trusted either.
func (p *Plan) measure(ctx context.Context, j job, before func(Step)) ([]*cell, error) {
	var cells []*cell
	for _, n := range p.processors {
		for _, v := range j.variants {
			cells = append(cells, &cell{variant: v, processors: n})
		}
	}
	for run := range p.runs {
		for _, c := range cells {
			if ctx.Err() != nil {
				return cells, ErrInterrupted
			}
			if before != nil {
				before(Step{j.program.Name, c.variant.Name, c.processors, run})
			}
			if !p.simulated && runtime.GOMAXPROCS(0) != c.processors {
				runtime.GOMAXPROCS(c.processors)
			}
			r, err := p.runner(ctx, j.program, c.variant, programs.Config{Processors: c.processors, Values: j.values})
			if err != nil {
				c.samples = nil
				return cells, err
			}
			c.samples = append(c.samples, r)
		}
	}
	return cells, nil
}
