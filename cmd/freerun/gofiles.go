package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
	"github.com/freerun-go/freerun/cmd/freerun/internal/goruntime"
)

// addGo adds to the files to compile those of Go's runtime, if the program has activities: with
// them the runtime preempts activities, and tells those that are about to block.
func addGo(c *cobra.Command, r *cooperate.Result, env, users map[string]string) (err error) {
	if !r.HasActivities {
		return nil
	}
	version := env["GOVERSION"]
	if !isKnown(version) {
		fmt.Fprintf(c.ErrOrStderr(), "freerun: %s is not known, only %s is: an activity keeps its processor while it waits for a sync.Mutex, a channel or the network, and in code without checks; hold no such lock where there are checks, and wait in Block\n", version, goruntime.Version)
		return nil
	}
	r.Go, err = goruntime.Texts(env["GOROOT"], func(name string) ([]byte, error) {
		if instead, ok := users[name]; ok {
			name = instead
		}
		return os.ReadFile(name)
	})
	return err
}

// isPreempted reports whether activities are preempted in what is compiled, as `go env` describes
// it: Go preempts nothing on wasm.
func isPreempted(env map[string]string) bool {
	return isKnown(env["GOVERSION"]) && env["GOARCH"] != "wasm"
}

// isKnown reports whether the runtime of a version of Go is known, such as go1.26.8.
func isKnown(version string) bool {
	return version == goruntime.Version || strings.HasPrefix(version, goruntime.Version+".")
}
