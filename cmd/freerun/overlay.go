package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
	"github.com/freerun-go/freerun/cmd/freerun/internal/goruntime"
)

func newOverlay() *cobra.Command {
	return &cobra.Command{
		Use:   "overlay",
		Short: "Print the name of an overlay with which the go command makes activities be preempted",
		Long: `Print the name of an overlay file for the go command, with which it compiles Go's runtime as
freerun build does: an activity is preempted after about a millisecond, in whatever code it runs, and
gives its processor away where it blocks as a goroutine does. Nothing else is compiled differently:
there are no checks, and //freerun:uncooperative means nothing. So editors, debuggers, coverage and
scripts can use the go command itself.

The file is in the user's cache folder, and stays there. It is for the Go that compiles in the current
folder.

Exit status: 0; 1 if the version of Go is not known, or the file cannot be written.`,
		Example: `  freerun overlay
  go build -overlay "$(freerun overlay)" ./cmd/server
  GOFLAGS="-overlay=$(freerun overlay)" dlv debug ./cmd/server
  go test -cover -overlay "$(freerun overlay)" ./...`,
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			result := &cooperate.Result{HasActivities: true}
			env, err := cooperate.GoEnv("", nil)
			if err != nil {
				return err
			}
			if err := addGo(c, result, env, nil); err != nil {
				return err
			}
			if !result.IsWritten() {
				return fmt.Errorf("there is no overlay for another Go than %s", goruntime.Version)
			}
			folder := cached(overlays)
			if folder == "" {
				return errors.New("there is no cache folder for the user; set HOME or XDG_CACHE_HOME")
			}
			name, err := result.Keep(folder)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), name)
			return err
		},
	}
}
