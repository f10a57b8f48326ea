package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/programs"
)

// benchFlags holds the flags of `freerun bench`.
type benchFlags struct {
	processors []string
	variants   []string
	settings   []string
	params     map[string]*[]string // the values of each parameter's own flag, by parameter
	runs       int
	rivals     bool
	quick      bool
	json       bool
	details    bool
	inProcess  bool
	cpuProfile string
	memProfile string
	report     string
	svg        string
	note       string
	from       []string
	runner     bench.Runner // measures in processes of their own; nil if that cannot be
	prepare    func() error // finds what runner needs, once the command line is known to be right
}

// newBench returns the command for the programs of the overview, and for those that are measured
// apart.
func newBench(overview, apart []*programs.Program) *cobra.Command {
	f := benchFlags{params: make(map[string]*[]string)}
	catalogue := slices.Concat(overview, apart)
	names := bench.ProgramNames(catalogue)
	c := &cobra.Command{
		Use:   "bench [PROGRAM...]",
		Short: "Measure programs written with freerun beside the same in plain Go",
		Long:  benchHelp(catalogue),
		Example: `  freerun bench                                       what freerun gains and loses, within a minute
  freerun bench --details                             the same, with every variant of every program
  freerun bench fib --size 32 --processors 1,2        one program, with one and with two processors
  freerun bench fib --work 0,100,10000                with several amounts of extra work at each operation
  freerun bench ddb --variants replies,channels,mutex --hot 90
  freerun bench fib fanin --size fib=25,fanin=1000000 --runs 11 --json > figures.jsonl
  freerun bench submit queues --rivals                beside what other libraries offer
  freerun bench durable                               durable units beside bbolt, SQLite and DBOS
  freerun bench all --report report.html              all of it, as one page with the papers' figures
  freerun bench --from figures.jsonl --svg figures    the figures of what was measured before
  freerun bench pingpong --variants units --cpuprofile cpu.pprof`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(args, n) })
			return rest, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			f.runner, f.prepare = isolated(), func() error { return nil }
			known, err := f.known(c, overview, apart, args)
			if err != nil {
				return err
			}
			return runBench(c, known, args, f)
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.processors, "processors", nil,
		"measure with so many processors: `N`, or several such as 1,2 (default GOMAXPROCS)")
	flags.StringSliceVar(&f.variants, "variants", nil, "measure only the variants `NAME,NAME`")
	flags.BoolVar(&f.rivals, "rivals", false,
		"measure variants written with other libraries too, and let ratios be to the best of them as well")
	commandline.AddParams(flags, catalogue, f.params)
	flags.StringSliceVar(&f.settings, "set", nil, "set a parameter: `NAME=N`, or PROGRAM.NAME=N, or to several values NAME=N,N; --NAME N is short for it")
	flags.IntVar(&f.runs, "runs", 5, "let every variant have its turn `N` times")
	flags.BoolVar(&f.quick, "quick", false, "use the reduced sizes, as without any program")
	flags.BoolVar(&f.json, "json", false, "write one JSON object a line instead of a table")
	flags.BoolVar(&f.details, "details", false, "write a line for every variant, as with programs that are named, instead of the summary")
	flags.BoolVar(&f.inProcess, "in-process", false,
		"measure all in one process, as is done for a profile, instead of each in a process of its own")
	flags.StringVar(&f.cpuProfile, "cpuprofile", "", "write a CPU profile to `FILE`")
	flags.StringVar(&f.memProfile, "memprofile", "", "write an allocation profile to `FILE`")
	flags.StringVar(&f.report, "report", "", "draw what was measured beside the papers' figures, as one page: `FILE`")
	flags.StringVar(&f.svg, "svg", "", "draw each figure to a file of its own in `FOLDER`")
	flags.StringVar(&f.note, "note", "", "begin the report with a remark, such as which other programs the machine was running: `TEXT`")
	flags.StringArrayVar(&f.from, "from", nil, "measure nothing and draw the rows that --json has written to `FILE`; - is standard input, and several files are several flags")
	commandline.Complete(c, "variants", bench.VariantNames(catalogue)...)
	commandline.Complete(c, "processors", "1", "2", "1,2")
	commandline.Complete(c, "runs")
	var params []string
	for _, p := range catalogue {
		for _, name := range p.ParamNames()[1:] {
			params = append(params, p.Name+"."+name+"=")
		}
	}
	commandline.Complete(c, "set", params...)
	for name := range f.params {
		commandline.Complete(c, name)
	}
	return c
}

// benchHelp describes the programs, their variants and parameters.
func benchHelp(catalogue []*programs.Program) string {
	var b strings.Builder
	b.WriteString(`Measure programs, each written with freerun and in plain Go. The variants of a program take
turns, each in a process of its own and after a run to warm up, every result is checked, and the
median over the runs is reported. Without a program all of them are measured at reduced sizes, with
other libraries, and a summary says what freerun gains and loses; --details shows all that it is
made of. With "all" in place of a program, all that the report shows is measured, which takes some
minutes; programs behind "all" choose among it. The variants marked rival use other libraries, and
are measured in the summary, with --rivals, or if they are named. The program durable is measured
only if it is named, with its rivals, by a command of its own, for which the go command fetches
what it depends on. An interrupt ends the bench after the measurement under way and shows what
there is; a second one ends it at once.

Programs:
`)
	for _, p := range catalogue {
		fmt.Fprintf(&b, "\n  %s: %s\n", p.Name, p.Doc)
		for _, v := range p.Variants {
			fmt.Fprintf(&b, "    %-12s %s (%s)\n", v.Name, v.Doc, v.Kind)
		}
		for _, param := range p.Params {
			letter := ""
			if param.Letter != "" {
				letter = " (or --" + param.Letter + ")"
			}
			fmt.Fprintf(&b, "    %-22s %s%s\n", "--"+param.Name+" "+strconv.Itoa(param.Default), param.Doc, letter)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func runBench(c *cobra.Command, catalogue []*programs.Program, names []string, f benchFlags) error {
	if len(f.from) > 0 {
		if err := forSaved(c, names, f); err != nil {
			return err
		}
		d, err := openDrawing(f.report, f.svg, f.note)
		if err != nil {
			return err
		}
		return drawSaved(c, catalogue, f.from, d)
	}
	if f.json && f.details {
		return commandline.Usagef("--json writes every variant: leave out --details")
	}
	// Without programs or variants a user wants an overview, with other libraries beside.
	overview := len(names) == 0 && len(f.variants) == 0 && !f.json
	if overview && !c.Flags().Changed("rivals") {
		f.rivals = true
	}
	plan, err := f.plan(catalogue, names)
	if err != nil {
		return err
	}
	write := plan.WriteTable
	if overview && !f.details {
		write = func(w io.Writer, rows []bench.Row) error { return plan.WriteSummary(w, rows, columns(w)) }
	}
	if f.json {
		write = nil
	}
	d, err := openDrawing(f.report, f.svg, f.note)
	if err != nil {
		return err
	}
	if err := f.prepare(); err != nil {
		return errors.Join(err, d.abandon())
	}
	stop, err := startProfiles(f.cpuProfile, f.memProfile)
	if err != nil {
		return errors.Join(err, d.abandon())
	}
	return errors.Join(measure(c, plan, write, d), stop())
}

// plan makes the plan for the programs and the flags.
func (f *benchFlags) plan(catalogue []*programs.Program, names []string) (*bench.Plan, error) {
	if f.runs < 1 {
		return nil, commandline.Usagef("--runs is %d, and must be at least 1", f.runs)
	}
	request := bench.Request{Programs: names, Variants: f.variants, Rivals: f.rivals, Runs: f.runs, Quick: f.quick, Params: commandline.Joined(f.settings)}
	for _, s := range f.processors {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, commandline.Usagef("--processors is %q, and must be whole numbers such as 1 or 1,2", s)
		}
		request.Processors = append(request.Processors, n)
	}
	settings, err := commandline.ParamSettings(f.params)
	if err != nil {
		return nil, err
	}
	request.Params = append(request.Params, settings...)
	if !f.inProcess && f.cpuProfile == "" && f.memProfile == "" {
		request.Runner = f.runner
	}
	return bench.NewPlan(catalogue, request)
}

// measure carries out the plan and writes its results, also when it ends early: with write at the
// end, or as JSON if write is nil.
func measure(c *cobra.Command, plan *bench.Plan, write func(io.Writer, []bench.Row) error, d drawing) error {
	ctx, restore := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	errs := c.ErrOrStderr()
	tell := sync.OnceFunc(func() {
		restore() // the next signal ends the process
		fmt.Fprintln(errs, "\nfreerun: interrupted: the measurement under way is the last (interrupt again to end at once)")
	})
	defer context.AfterFunc(ctx, tell)()
	bar := newProgress(errs, plan.Measurements())
	done := 0
	before := func(s bench.Step) {
		bar.step(s, done)
		done++
	}
	var rows []bench.Row
	from := origin(os.Args[1:])
	encoder := json.NewEncoder(c.OutOrStdout())
	encoder.SetEscapeHTML(false)
	err := plan.Run(ctx, before, func(r bench.Row) error {
		r.Origin = from
		rows = append(rows, r)
		if write == nil {
			return encoder.Encode(r)
		}
		return nil
	})
	if ctx.Err() != nil {
		tell() // or waits until it is told: the process may end before AfterFunc's goroutine runs
	}
	bar.end()
	if write != nil {
		err = errors.Join(err, write(c.OutOrStdout(), rows))
	}
	partial := ""
	if err != nil {
		partial = "The run ended before its time: " + err.Error() + "."
	}
	return errors.Join(err, d.draw(errs, rows, partial))
}
