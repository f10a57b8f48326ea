package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// journal makes runners that record the order in which they run.
type journal struct{ ran []string }

func (j *journal) runner(name string, took time.Duration) bench.Runner {
	return func(_ context.Context, p *programs.Program, _ programs.Variant, cfg programs.Config) (programs.Result, error) {
		j.ran = append(j.ran, p.Name+" "+name)
		return programs.Result{Operations: 1, Elapsed: took * time.Duration(cfg.Processors)}, nil
	}
}

func fakes(names ...string) []subject {
	var all []subject
	for _, n := range names {
		all = append(all, subject{program: &programs.Program{Name: n}, variant: programs.Variant{Name: "fake"}})
	}
	return all
}

// TestAlternation: pairs of different programs take turns, and so do the binaries within a pair.
func TestAlternation(t *testing.T) {
	var j journal
	m := measuring{base: j.runner("base", 100), new: j.runner("new", 120), errs: new(bytes.Buffer), trials: trials(fakes("a", "b"), []int{1})}
	if err := m.measure(context.Background(), 6); err != nil {
		t.Fatal(err)
	}
	const round = "a base, a new, b base, b new, a new, a base, b new, b base, "
	if got := strings.Join(j.ran, ", ") + ", "; got != round+round+round {
		t.Error(got)
	}
	for _, tr := range m.trials {
		if c := compare(tr.pairs); len(tr.pairs) != 6 || c.median != 1.2 || c.verdict() != "slower" {
			t.Errorf("%s: %+v", tr.program.Name, c)
		}
	}
	var out bytes.Buffer
	if err := writeTable(&out, m.trials); err != nil || !strings.Contains(out.String(), "1.200 to 1.200") || !strings.Contains(out.String(), "2 of 2 slower") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestLeftOut: a program that the base lacks is left out, with a message. A program that the
// working tree lacks is an error.
func TestLeftOut(t *testing.T) {
	var j journal
	var errs bytes.Buffer
	broken := errors.New("there is no b/fake")
	without := func(name string, r bench.Runner) bench.Runner {
		return func(ctx context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
			if p.Name == name {
				return programs.Result{}, broken
			}
			return r(ctx, p, v, cfg)
		}
	}
	whole := j.runner("", 100)
	m := measuring{base: without("b", whole), new: whole, errs: &errs, trials: trials(fakes("a", "b"), []int{1, 2})}
	if err := m.tryOut(context.Background(), 20); err != nil || len(m.trials) != 2 || m.trials[1].program.Name != "a" {
		t.Errorf("%v, %d trials", err, len(m.trials))
	}
	if s := errs.String(); !strings.Contains(s, "left out: the base: there is no b/fake") || !strings.Contains(s, "2 comparisons of 20 pairs take about") {
		t.Error(s)
	}
	m = measuring{base: without("b", whole), new: whole, errs: &errs, trials: trials(fakes("b"), []int{1})}
	if err := m.tryOut(context.Background(), 20); !errors.Is(err, broken) {
		t.Errorf("a base that can run nothing: %v", err)
	}
	m = measuring{base: whole, new: without("b", whole), errs: &errs, trials: trials(fakes("a", "b"), []int{1})}
	if err := m.tryOut(context.Background(), 20); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the working tree") {
		t.Errorf("a working tree that cannot run a program: %v", err)
	}
}

// TestInterrupted: the table has the pairs until the interrupt.
func TestInterrupted(t *testing.T) {
	var j journal
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	base := j.runner("base", 100)
	stopping := func(ctx context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
		if len(j.ran) == 15 {
			cancel()
		}
		return base(ctx, p, v, cfg)
	}
	m := measuring{base: stopping, new: j.runner("new", 100), errs: new(bytes.Buffer), trials: trials(fakes("a", "b"), []int{1})}
	if err := m.measure(ctx, 20); !errors.Is(err, bench.ErrInterrupted) || len(m.trials[0].pairs) != 4 || len(m.trials[1].pairs) != 4 {
		t.Errorf("%v, %d and %d pairs", err, len(m.trials[0].pairs), len(m.trials[1].pairs))
	}
	var out bytes.Buffer
	if err := writeTable(&out, m.trials); err != nil || strings.Count(out.String(), "too few pairs") != 2 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestSubjects: the programs and variants exist, and their sizes are within bounds.
func TestSubjects(t *testing.T) {
	all, err := subjects(catalogue.WithRivals())
	if err != nil || len(all) != 11 {
		t.Errorf("%d, %v", len(all), err)
	}
	for _, s := range all {
		if s.variant.Kind != programs.Freerun || s.variant.Fits != nil && !s.variant.Fits(s.values) {
			t.Errorf("%s/%s cannot be compared", s.program.Name, s.variant.Name)
		}
	}
	if _, err := find(catalogue.WithRivals(), "fib", "nonsense"); err == nil {
		t.Error("fib/nonsense was found")
	}
}
