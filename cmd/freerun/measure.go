package main

import (
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// measureName is the hidden command that bench runs for each measurement.
const measureName = "measure-one"

func newMeasure(catalogue []*programs.Program) *cobra.Command {
	return &cobra.Command{
		Use:    measureName,
		Short:  "Carry out the one measurement that is read from standard input (for bench)",
		Args:   noArguments,
		Hidden: true,
		RunE: func(c *cobra.Command, _ []string) error {
			signal.Ignore(os.Interrupt) // which a terminal sends to all: bench decides what it means
			return bench.ServeMeasurement(catalogue, c.InOrStdin(), c.OutOrStdout())
		},
	}
}

// isolated returns the runner that measures in processes of their own, nil where there are none to be had.
func isolated() bench.Runner {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return bench.Isolated(self, measureName)
}
