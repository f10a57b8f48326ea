package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline/companion"
)

// benchCommand carries out bench and simulate, which link rivals; this command does not. So this
// command finds freerun-bench, and becomes it.
var benchCommand = companion.Command{Name: "freerun-bench", Folder: "bench/freerun-bench", Does: "bench and simulate"}

// handedOver names the subcommands that freerun-bench carries out.
var handedOver = []string{"bench", "simulate"}

// newHandedOver returns a subcommand that freerun-bench carries out.
func newHandedOver(name, use, short string) *cobra.Command {
	return &cobra.Command{
		Use:                name + " " + use,
		Short:              short,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return handOver(append([]string{name}, args...)) },
	}
}

// isAbout reports whether a command line asks for the help of a subcommand that is handed over, or
// for the completion of its arguments.
func isAbout(args []string) bool {
	switch {
	case len(args) > 1 && args[0] == "help",
		len(args) > 2 && args[0] == cobra.ShellCompRequestCmd,
		len(args) > 2 && args[0] == cobra.ShellCompNoDescRequestCmd:
		return slices.Contains(handedOver, args[1])
	}
	return false
}

// handOver runs freerun-bench with the arguments. Where the system allows it, this process becomes
// freerun-bench, and handOver returns only on an error.
func handOver(args []string) error {
	command, err := benchCommand.Find()
	if err != nil {
		return err
	}
	return become(command, args)
}
