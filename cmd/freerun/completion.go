package main

import (
	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
)

// addCompletion adds the command that prints completion scripts, and makes it refuse unknown
// arguments: by itself it prints its help and succeeds. The root's output must be set before,
// because the scripts are written there.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return commandline.UnknownName("shell", args[0], available(c))
		}
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		for _, shell := range c.Commands() {
			shell.Args = commandline.NoArguments
		}
	}
}
