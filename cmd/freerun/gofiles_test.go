package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
)

// TestUnknownGo: with a Go that is not known nothing of it is compiled anew, and freerun says what
// that means.
func TestUnknownGo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script stands in for the go command")
	}
	dir := t.TempDir()
	script := `#!/bin/sh
echo '{"GOROOT": "/nowhere", "GOVERSION": "go1.99.1", "GOGCCFLAGS": "/tmp/go-build123"}'
`
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var errs strings.Builder
	c := &cobra.Command{}
	c.SetErr(&errs)
	result := &cooperate.Result{HasActivities: true}
	env, err := cooperate.GoEnv(dir, nil)
	if err != nil || env["GOGCCFLAGS"] != "" {
		t.Fatal(env, err)
	}
	if err := addGo(c, result, env, nil); err != nil || result.IsWritten() {
		t.Errorf("%v, and there are files: %t", err, result.IsWritten())
	}
	for _, part := range []string{"go1.99.1 is not known", "a sync.Mutex", "code without checks"} {
		if !strings.Contains(errs.String(), part) {
			t.Errorf("it says %q, without %q", errs.String(), part)
		}
	}
	if err := addGo(c, &cooperate.Result{}, nil, nil); err != nil {
		t.Errorf("a program without activities: %v", err)
	}
}
