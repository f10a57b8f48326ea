package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the revision it was built from, and Go's version",
		Example: "  freerun version",
		Args:    commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version(debug.ReadBuildInfo()))
			return err
		},
	}
}

// version describes the build. A build outside version control, or by `go run`, knows no revision.
func version(info *debug.BuildInfo, known bool) string {
	number, revision, modified := "(devel)", "unknown", ""
	if known {
		if v := info.Main.Version; v != "" {
			number = v
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " (modified)"
			}
		}
	}
	return fmt.Sprintf("freerun %s, revision %s%s, %s %s/%s",
		number, revision, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
