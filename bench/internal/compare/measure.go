package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// trial is one program with one number of processors, and its measurements.
type trial struct {
	subject
	processors int
	pairs      []pair
}

// trials returns a trial for each subject and number of processors.
func trials(all []subject, processors []int) []*trial {
	var list []*trial
	for _, s := range all {
		for _, n := range processors {
			list = append(list, &trial{subject: s, processors: n})
		}
	}
	return list
}

// measuring holds what the runs of a comparison share.
type measuring struct {
	base, new bench.Runner
	errs      io.Writer // for progress and omissions
	trials    []*trial
}

// tryOut runs one pair of each trial, whose times do not count. It drops the trials that the base
// cannot run, and says how long the counted pairs will take.
func (m *measuring) tryOut(ctx context.Context, pairs int) error {
	var left []*trial
	var took time.Duration
	var missing error
	for _, t := range m.trials {
		if ctx.Err() != nil {
			return bench.ErrInterrupted
		}
		start := time.Now()
		if _, err := m.one(ctx, m.new, t); err != nil {
			return fmt.Errorf("the working tree: %w", err)
		}
		if _, err := m.one(ctx, m.base, t); err != nil {
			missing = err
			fmt.Fprintf(m.errs, "compare: left out: the base: %v\n", err)
			continue
		}
		took += time.Since(start)
		left = append(left, t)
	}
	if len(left) == 0 {
		return fmt.Errorf("the base can run none of the programs: %w", missing)
	}
	m.trials = left
	fmt.Fprintf(m.errs, "compare: %d comparisons of %d pairs take about %v\n", len(left), pairs, roundUp(took*time.Duration(pairs)))
	return nil
}

// roundUp rounds a duration up to 10 seconds, the precision of an estimate.
func roundUp(d time.Duration) time.Duration {
	const step = 10 * time.Second
	return (d + step - 1).Truncate(step)
}

// measure runs the pairs of all trials in turn. The binary that is first in one pair is second in
// the next. If ctx ends, measure returns after the pair under way.
func (m *measuring) measure(ctx context.Context, pairs int) error {
	for i := range pairs {
		fmt.Fprintf(m.errs, "\rcompare: pair %d of %d", i+1, pairs)
		for _, t := range m.trials {
			if ctx.Err() != nil {
				fmt.Fprintln(m.errs)
				return bench.ErrInterrupted
			}
			p, err := m.pair(ctx, t, i%2 == 1)
			if err != nil {
				fmt.Fprintln(m.errs)
				return err
			}
			t.pairs = append(t.pairs, p)
		}
	}
	fmt.Fprintln(m.errs)
	return nil
}

// pair runs both binaries, one right after the other.
func (m *measuring) pair(ctx context.Context, t *trial, newFirst bool) (pair, error) {
	var p pair
	var of, on error
	base := func() { p.base, of = m.one(ctx, m.base, t) }
	fresh := func() { p.new, on = m.one(ctx, m.new, t) }
	order := []func(){base, fresh}
	if newFirst {
		slices.Reverse(order)
	}
	for _, run := range order {
		run()
	}
	return p, errors.Join(of, on)
}

// one measures one run, in ns per operation.
func (m *measuring) one(ctx context.Context, r bench.Runner, t *trial) (float64, error) {
	result, err := r(ctx, t.program, t.variant, programs.Config{Processors: t.processors, Values: t.values})
	if err != nil {
		return 0, err
	}
	if ns := result.NsPerOp(); ns > 0 {
		return ns, nil
	}
	return 0, fmt.Errorf("%s/%s measured nothing", t.program.Name, t.variant.Name)
}
