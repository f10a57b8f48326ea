package commandline

import "github.com/spf13/cobra"

// Complete makes the shell offer these values for a flag, and no file names.
func Complete(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}
