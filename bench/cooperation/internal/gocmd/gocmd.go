// Package gocmd runs the go command, and freerun in its place, in folders of modules that are
// copied or made.
package gocmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Freerun is the path of the module of freerun.
const Freerun = "github.com/freerun-go/freerun"

// Settings are of the go command, for a module that was made or copied.
var Settings = []string{"GOWORK=off", "GOFLAGS=-mod=mod"}

// Output runs a command in a folder and returns what it prints; an error has what it says.
func Output(dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w %s %s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()), bytes.TrimSpace(out.Bytes()))
	}
	return out.Bytes(), nil
}

// BuildFreerun builds the command freerun of the module in the folder root, into the folder dir,
// and returns its path.
func BuildFreerun(root, dir string) (string, error) {
	command := filepath.Join(dir, "freerun")
	_, err := Output(filepath.Join(root, "cmd/freerun"), []string{"GOWORK="}, "go", "build", "-o", command, ".")
	return command, err
}
