package main

import "github.com/spf13/cobra"

func newRun() *cobra.Command {
	return newGoCommand("run", "[go flags] PACKAGE [ARGUMENT...]", "Compile and run a program whose activities share processors by themselves",
		`  freerun run .                             the program in this folder
  freerun run ./cmd/server -addr :7000      with arguments for the program
  freerun run -race main.go                 one file, with the race detector`)
}
