package main

import "github.com/spf13/cobra"

func newBuild() *cobra.Command {
	return newGoCommand("build", "[go flags] [PACKAGE...]", "Compile packages so that their activities share processors by themselves",
		`  freerun build ./...                       compile all, and see whether it compiles
  freerun build -o server ./cmd/server      one program
  freerun build -race -tags debug .         with any flags of go build`)
}
