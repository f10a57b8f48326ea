package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/simulate"
)

// simulateFlags holds the flags of `freerun simulate`.
type simulateFlags struct {
	processors  []string
	variants    []string
	settings    []string
	params      map[string]*[]string
	full        bool
	json        bool
	calibration string
	tolerance   float64
	model       int
}

func newSimulate(catalogue []*programs.Program) *cobra.Command {
	f := simulateFlags{params: make(map[string]*[]string)}
	var names []string
	for _, p := range catalogue {
		for _, v := range p.Variants {
			if v.Simulable || v.Forks || v.Outside {
				names = append(names, p.Name)
				break
			}
		}
	}
	c := &cobra.Command{
		Use:   "simulate PROGRAM...",
		Short: "Tell how a program would run on more processors than there are",
		Long: `Run a program on virtual processors: the runtime's real scheduling code, in virtual time, by costs that
are measured on this machine first. The programs that can be simulated are
  ` + strings.Join(names, ", ") + `
at their reduced sizes, unless --size or --full says otherwise. What the costs leave out, and how far
simulations were from real runs, is in docs/simulation.md.`,
		Example: `  freerun simulate fib --work 0,100,10000                          figure 4 of the first paper
  freerun simulate ddb --processors 1,2,4,8,16,32                  figures 7 to 9
  freerun simulate ddb --calibration ddb.json --json > rows.jsonl  with the same costs each time
  freerun simulate hot --pause 0 --model 2                         with goroutines outside
  freerun simulate skynet --model 2                                with what all processors share`,
		ValidArgs: names,
		RunE:      func(c *cobra.Command, args []string) error { return runSimulate(c, catalogue, args, f) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.processors, "processors", []string{"1", "2", "4", "8", "16", "32", "64"},
		"simulate so many processors: `N`, or several such as 1,2,4")
	flags.StringSliceVar(&f.variants, "variants", nil, "simulate only the variants `NAME,NAME`")
	commandline.AddParams(flags, catalogue, f.params)
	flags.StringSliceVar(&f.settings, "set", nil, "set a parameter: `NAME=N`, or PROGRAM.NAME=N, or to several values NAME=N,N; --NAME N is short for it")
	flags.BoolVar(&f.full, "full", false, "use the programs' full sizes")
	flags.BoolVar(&f.json, "json", false, "write one JSON object a line instead of a table")
	flags.StringVar(&f.calibration, "calibration", "",
		"take the costs from `FILE`, and add to it those that are measured, so that a simulation can be repeated")
	flags.IntVar(&f.model, "model", 1, "simulate by the model `N`: 2 charges also for words that all share, and for the collector")
	flags.Float64Var(&f.tolerance, "tolerance", 100*bench.Tolerance,
		"add costs to the file only if simulations with 1 and 2 processors take as long as the shortest real runs, to `PERCENT`")
	commandline.Complete(c, "variants", bench.VariantNames(catalogue)...)
	commandline.Complete(c, "processors", "1,2,4,8,16,32,64")
	commandline.Complete(c, "set")
	for name := range f.params {
		commandline.Complete(c, name)
	}
	return c
}

func runSimulate(c *cobra.Command, catalogue []*programs.Program, names []string, f simulateFlags) error {
	if len(names) == 0 {
		return commandline.Usagef("which program? for example freerun simulate fib; see freerun simulate --help")
	}
	request := bench.Request{Programs: names, Variants: f.variants, Runs: 1, Quick: !f.full, Params: commandline.Joined(f.settings)}
	for _, s := range f.processors {
		n, err := strconv.Atoi(s)
		if err != nil {
			return commandline.Usagef("--processors is %q, and must be whole numbers such as 1 or 1,2,4", s)
		}
		request.Processors = append(request.Processors, n)
	}
	settings, err := commandline.ParamSettings(f.params)
	if err != nil {
		return err
	}
	request.Params = append(request.Params, settings...)
	file, err := openCalibration(f.calibration)
	if err != nil {
		return err
	}
	defer file.Close()
	if request.Simulator, err = file.simulator(); err != nil {
		return err
	}
	if !(f.tolerance > 0) {
		return commandline.Usagef("--tolerance is %v, and must be above 0", f.tolerance)
	}
	if f.model < 1 || f.model > simulate.Models {
		return commandline.Usagef("--model is %d, and must be 1 or 2", f.model)
	}
	request.Simulator.Model = f.model
	if f.calibration != "" {
		request.Simulator.Tolerance = f.tolerance / 100
	}
	errs := c.ErrOrStderr()
	request.Simulator.Calibrating = func(name string) { fmt.Fprintf(errs, "freerun: measuring the costs of %s\n", name) }
	plan, err := bench.NewPlan(catalogue, request)
	if err != nil {
		return err
	}
	return errors.Join(simulatePlan(c, plan, f.json), file.save(request.Simulator), request.Simulator.Refused())
}

// simulatePlan carries out the plan and writes its results, also when it ends early.
func simulatePlan(c *cobra.Command, plan *bench.Plan, asJSON bool) error {
	ctx, restore := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	defer context.AfterFunc(ctx, restore)() // the next signal ends the process
	var rows []bench.Row
	from := origin(os.Args[1:])
	encoder := json.NewEncoder(c.OutOrStdout())
	encoder.SetEscapeHTML(false)
	err := plan.Run(ctx, nil, func(r bench.Row) error {
		r.Origin = from
		if asJSON {
			return encoder.Encode(r)
		}
		rows = append(rows, r)
		return nil
	})
	if asJSON {
		return err
	}
	return errors.Join(err, plan.WriteTable(c.OutOrStdout(), rows))
}

// calibrationFile is the file that keeps costs. The zero value keeps none.
type calibrationFile struct {
	file *os.File
	text string // the file's content when it was opened
}

// openCalibration opens the file, or makes it. It fails before anything is measured if the file
// cannot be written.
func openCalibration(name string) (calibrationFile, error) {
	if name == "" {
		return calibrationFile{}, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, fs.ErrPermission) {
		if file, readable := os.Open(name); readable == nil { // enough if no costs are missing
			text, err := io.ReadAll(file)
			return calibrationFile{file, string(text)}, err
		}
	}
	if err != nil {
		return calibrationFile{}, commandline.Usagef("the calibration: %v", err)
	}
	text, err := io.ReadAll(file)
	return calibrationFile{file, string(text)}, err
}

func (f calibrationFile) simulator() (*bench.Simulator, error) {
	if f.text == "" {
		return bench.NewSimulator(nil)
	}
	return bench.NewSimulator(strings.NewReader(f.text))
}

// save writes the costs if there are new ones.
func (f calibrationFile) save(s *bench.Simulator) error {
	if f.file == nil || !s.Fresh() {
		return nil
	}
	if err := f.file.Truncate(0); err != nil {
		return err
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return s.WriteCosts(f.file)
}

// Close closes the file, if there is one.
func (f calibrationFile) Close() {
	if f.file != nil {
		f.file.Close()
	}
}
