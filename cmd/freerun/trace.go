package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/programs"
)

// traceFlags holds the flags of `freerun trace`.
type traceFlags struct {
	output     string
	variant    string
	processors int
	full       bool
	limit      time.Duration
	events     int
	settings   []string
	params     map[string]*[]string
}

func newTrace(catalogue []*programs.Program) *cobra.Command {
	f := traceFlags{params: make(map[string]*[]string)}
	c := &cobra.Command{
		Use:   "trace PROGRAM|RECORDING -o FILE",
		Short: "Record what a program does, and show it as a timeline",
		Long: `Run one of the programs of bench and record it: which operation ran where and when, which one sent
it, which messages were stolen, when processors searched and slept. The ending of FILE says what is
written:

  .html    a page that needs no network: the timeline, work and span, the critical path
  .json    for ui.perfetto.dev and chrome://tracing
  .trace   the recording itself, of which the others can be made later: freerun trace FILE.trace -o FILE.html

The program runs at its reduced size, as a page of more than some million events is slow to read. An
interrupt ends the recording, and what was recorded until then is written; so is what can be read
of a recording that is cut off or broken. Programs of your own are recorded with Runtime.StartTrace.`,
		Example: `  freerun trace ddb -o ddb.html
  freerun trace fib --variant futures --size 22 --processors 2 -o fib.html
  freerun trace ddb --hot 90 --for 50ms -o ddb.json
  freerun trace recorded.trace -o recorded.html`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return bench.ProgramNames(catalogue), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error { return runTrace(c, catalogue, args, f) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`, whose ending is .html, .json or .trace")
	flags.StringVar(&f.variant, "variant", "", "run the variant `NAME` (default the first that is written with freerun)")
	flags.IntVar(&f.processors, "processors", runtime.GOMAXPROCS(0), "run on `N` processors")
	flags.BoolVar(&f.full, "full", false, "run at the full size")
	flags.DurationVar(&f.limit, "for", 0, "end the recording after `DURATION`, such as 50ms (default when the program ends)")
	flags.IntVar(&f.events, "events", 1_000_000, "end the recording after `N` events")
	commandline.AddParams(flags, catalogue, f.params)
	flags.StringSliceVar(&f.settings, "set", nil, "set a parameter: `NAME=N`; --NAME N is short for it")
	commandline.Complete(c, "variant", bench.VariantNames(catalogue)...)
	commandline.Complete(c, "processors", "1", "2")
	commandline.Complete(c, "for", "50ms", "1s")
	commandline.Complete(c, "events")
	return c
}

// check returns an error for a wrong flag, which says what would be right.
func (f traceFlags) check() error {
	switch {
	case f.output == "":
		return commandline.Usagef("-o is missing: the file to write, which ends in .html, .json or .trace")
	case formatOf(f.output) == nil:
		return commandline.Usagef("-o is %q, and must end in .html, .json or .trace", f.output)
	case f.events < 1:
		return commandline.Usagef("--events is %d, and must be at least 1", f.events)
	case f.limit < 0:
		return commandline.Usagef("--for is %v, and must not be negative", f.limit)
	}
	return nil
}

// runTrace records a program, or reads a recording, and writes the requested form. Before it
// starts, it checks that the file can be written.
func runTrace(c *cobra.Command, catalogue []*programs.Program, args []string, f traceFlags) error {
	if len(args) != 1 {
		return commandline.Usagef("%s needs one program or recording, and has %d; programs are %s", c.CommandPath(), len(args), strings.Join(bench.ProgramNames(catalogue), ", "))
	}
	if err := f.check(); err != nil {
		return err
	}
	i := slices.IndexFunc(catalogue, func(p *programs.Program) bool { return p.Name == args[0] })
	if i < 0 {
		return convertTrace(c, catalogue, args[0], f)
	}
	return captureTrace(c, catalogue, catalogue[i], f)
}

// convertTrace writes a recording in another form.
func convertTrace(c *cobra.Command, catalogue []*programs.Program, name string, f traceFlags) error {
	in, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w, nor is there a file of that name", commandline.UnknownName("program", name, bench.ProgramNames(catalogue)))
	} else if err != nil {
		return err
	}
	defer in.Close()
	for _, flag := range []string{"variant", "processors", "full", "for", "set"} {
		if c.Flags().Changed(flag) {
			return commandline.Usagef("--%s is for a program that is run, and %s is a recording", flag, name)
		}
	}
	if filepath.Ext(f.output) == rawEnding {
		return commandline.Usagef("-o is %q, and %s is a recording already; the ending must be .html or .json", f.output, name)
	}
	if same(in, f.output) {
		return commandline.Usagef("-o is %q, the recording that is read; give another name", f.output)
	}
	out, err := openTarget(f.output)
	if err != nil {
		return err
	}
	defer out.discard()
	return writeTrace(c, in, titleOf(name), out, f.events)
}

// titleOf names a recording by its file. The recorder knows only the name of the process, which for
// recordings of this command is the command's.
func titleOf(name string) string { return strings.TrimSuffix(filepath.Base(name), rawEnding) }

// same reports whether name is the name of an open file.
func same(file *os.File, name string) bool {
	a, errA := file.Stat()
	b, errB := os.Stat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
