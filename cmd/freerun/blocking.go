package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
	"github.com/freerun-go/freerun/cmd/freerun/internal/goruntime"
)

// tellsBlocking adds to the files to compile those with which Go's runtime tells activities that
// they are about to block, if the program has activities.
func tellsBlocking(c *cobra.Command, r *cooperate.Result, dir string, users map[string]string) error {
	if !r.Blockhook {
		return nil
	}
	g := exec.Command("go", "env", "GOROOT", "GOVERSION")
	g.Dir = dir
	text, err := g.Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if version != goruntime.Version && !strings.HasPrefix(version, goruntime.Version+".") {
		fmt.Fprintf(c.ErrOrStderr(), "freerun: %s is not known, only %s is: an activity that waits for a sync.Mutex, a channel or the network keeps its processor; hold no such lock where there are checks, and wait in Block\n", version, goruntime.Version)
		return nil
	}
	texts, err := goruntime.Texts(goroot, func(name string) ([]byte, error) {
		if instead, ok := users[name]; ok {
			name = instead
		}
		return os.ReadFile(name)
	})
	if err != nil {
		return err
	}
	maps.Copy(r.Texts, texts)
	return nil
}
