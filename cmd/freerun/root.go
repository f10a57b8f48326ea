package main

import (
	"context"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/programs/catalogue"
)

// run carries out one command line and returns the exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if isAbout(args) {
		return commandline.Report(errs, handOver(args))
	}
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	addCompletion(root)
	return commandline.Report(errs, root.ExecuteContext(ctx))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "freerun",
		Short: "A lock-free runtime for Go programs made of many stateful things",
		Long: `freerun measures the programs of the lock-free runtime of the same name beside the way
they would be written with goroutines, channels and locks, serves a database made of units, and
compiles packages so that their activities share processors by themselves.

Exit status: 0 all is well, 1 something failed or a result was wrong, 2 the command line
was wrong, 130 interrupted; of build, run and test that of the go command.`,
		Example: `  freerun bench                         what freerun gains and loses, within a minute
  freerun bench fib --processors 1,2    one program at its full size
  freerun trace ddb -o ddb.html         what every processor did, as a page
  freerun serve --addr 127.0.0.1:6379   the database, for any Redis client
  freerun run ./cmd/server              in place of go run, for a program of activities`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return commandline.UnknownName("command", args[0], available(c))
	}
	root.SetFlagErrorFunc(commandline.ExplainFlag)
	root.Version = version(debug.ReadBuildInfo())
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(
		newHandedOver("bench", "[PROGRAM...]", "Measure programs written with freerun beside the same in plain Go"),
		newHandedOver("simulate", "PROGRAM...", "Tell how a program would run on more processors than there are"),
		newBuild(), newRun(), newTest(), newOverlay(), newServe(), newTrace(catalogue.Programs()), newDoctor(), newVersion(),
	)
	return root
}

// available returns the names of the commands below c that a user may choose from.
func available(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}
