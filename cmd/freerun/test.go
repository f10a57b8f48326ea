package main

import "github.com/spf13/cobra"

func newTest() *cobra.Command {
	return newGoCommand("test", "[go flags] [PACKAGE...] [flags of tests]", "Test packages whose activities share processors by themselves",
		`  freerun test ./...                        all tests, whose code gets checks too
  freerun test -race -run Fair -count 10 .  with any flags of go test
  freerun test . -args -data testdata       with arguments for the test`)
}
