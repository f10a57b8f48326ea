package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/programs"
)

// measureName is the hidden command that `freerun bench` runs for each measurement.
const measureName = "measure-one"

func newMeasure(catalogue []*programs.Program) *cobra.Command {
	return &cobra.Command{
		Use:    measureName,
		Short:  "Carry out the one measurement that is read from standard input (for bench)",
		Args:   commandline.NoArguments,
		Hidden: true,
		RunE: func(c *cobra.Command, _ []string) error {
			return bench.ServeMeasurement(catalogue, c.InOrStdin(), c.OutOrStdout())
		},
	}
}

// running is the file of this process under Linux, even if a later build has replaced that file.
const running = "/proc/self/exe"

// isolated returns the runner that measures in processes of their own, or nil if the command does
// not find its own file.
func isolated() bench.Runner {
	if _, err := os.Stat(running); err == nil {
		return bench.Isolated(running, measureName)
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return bench.Isolated(self, measureName)
}
