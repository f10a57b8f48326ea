package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/bench/commandline"
)

// run carries out one command line of freerun and returns the exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := newRoot(len(args) > 0 && args[0] == measureName)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	return commandline.Report(errs, root.ExecuteContext(ctx))
}

// newRoot returns the command freerun with the subcommands that are carried out here, or only with
// the one that measures: the heap of a process that measures has neither the flags nor the texts of
// the others. Users type freerun, so that is its name in all texts.
func newRoot(measuring bool) *cobra.Command {
	root := &cobra.Command{
		Use:   "freerun",
		Short: "The part of freerun that measures and simulates programs",
		Example: `  freerun bench
  freerun simulate fib`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return commandline.UnknownName("command", args[0], []string{"bench", "simulate"})
	}
	root.SetFlagErrorFunc(commandline.ExplainFlag)
	programs := catalogue.WithRivals()
	root.AddCommand(newMeasure(programs))
	if !measuring {
		root.AddCommand(newBench(programs, catalogue.Apart()), newSimulate(programs))
	}
	return root
}
