package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
	"github.com/freerun-go/freerun/cmd/freerun/internal/goruntime"
)

// goEnv are the variables of the go command that decide which files of the standard library it
// compiles.
var goEnv = strings.Fields(`GOROOT GOVERSION GOOS GOARCH CGO_ENABLED GOEXPERIMENT GOFLAGS
	GO386 GOAMD64 GOARM GOARM64 GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM`)

// addGo adds to the files to compile those of Go itself, if the program has activities: those with
// which the runtime tells activities that they are about to block, and the standard library with
// polls.
func addGo(c *cobra.Command, r *cooperate.Result, dir string, flags []string, users map[string]string) error {
	if !r.Blockhook {
		return nil
	}
	g := exec.Command("go", append([]string{"env", "-json"}, goEnv...)...)
	g.Dir = dir
	text, err := g.Output()
	var env map[string]string
	if err == nil {
		err = json.Unmarshal(text, &env)
	}
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	goroot, version := env["GOROOT"], env["GOVERSION"]
	if version != goruntime.Version && !strings.HasPrefix(version, goruntime.Version+".") {
		fmt.Fprintf(c.ErrOrStderr(), "freerun: %s is not known, only %s is: an activity that waits for a sync.Mutex, a channel or the network keeps its processor, and so does one in a long call of the standard library; hold no such lock where there are checks, and wait in Block\n", version, goruntime.Version)
		return nil
	}
	r.Go, err = goruntime.Texts(goroot, func(name string) ([]byte, error) {
		if instead, ok := users[name]; ok {
			name = instead
		}
		return os.ReadFile(name)
	})
	if err != nil || !r.Polls {
		return err
	}
	name, poll := goruntime.Polls(goroot)
	r.Go[name] = poll
	kept, texts, err := cooperate.RewriteStandard(
		cooperate.Request{Dir: dir, Flags: flags, Overlay: users, Keep: keep()},
		cooperate.Standard{Root: goroot, Arch: env["GOARCH"], Facts: string(text)})
	if err != nil {
		return err
	}
	r.GoKept = kept
	for name, text := range texts {
		r.Go[name] = text
	}
	return nil
}
