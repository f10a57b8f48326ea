// Package companion finds the commands of this repository that carry out a part of another one,
// because they link modules that the other one should not. The places, in this order:
//
//   - the clone that the running command was compiled in, so that `go run ./cmd/freerun bench` and
//     every binary of a working tree measure the code of that tree;
//   - the folder of the running command and PATH, for a companion of the same version;
//   - the clone around the working folder.
//
// In a clone the go command builds the companion, which takes a fraction of a second if nothing has
// changed.
package companion

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

const repository = "github.com/freerun-go/freerun"

// Command is a command that carries out a part of another one. Any goroutine may use it.
type Command struct {
	Name   string // the name of its file
	Folder string // its folder below the root of a clone
	Does   string // what it carries out, in the plural: "bench and simulate"
	// Apart says that it is a module of its own, outside of the workspace, because it depends on
	// much that no other command needs. Such a command is built in clones only, and not installed.
	Apart bool
}

// path returns the command's import path.
func (c Command) path() string { return repository + "/" + c.Folder }

// Find returns the command's file. It waits while the go command builds it. An error says in one
// line what is missing; after an error that the go command has written itself, it is a
// [*commandline.StatusError].
func (c Command) Find() (string, error) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		info = new(debug.BuildInfo)
	}
	if root, ok := c.ownClone(); ok {
		return c.build(root, info)
	}
	var others []string
	if !c.Apart {
		var command string
		if command, others = c.installed(info.Main.Version); command != "" {
			return command, nil
		}
	}
	if root, ok := c.cloneAround("."); ok {
		return c.build(root, info)
	}
	return "", c.missing(info.Main.Version, others)
}

// missing returns the error for a freerun-bench that was not found, which says how to get one.
// others describes commands that were found and do not fit.
func (c Command) missing(version string, others []string) error {
	if c.Apart {
		return fmt.Errorf("%s are in a command that is built from its source: run freerun in a clone of https://%s", c.Does, repository)
	}
	text := fmt.Sprintf("%s are in a command of their own, %s, which is not installed", c.Does, c.Name)
	if len(others) > 0 {
		text = fmt.Sprintf("this is freerun %s, but %s", version, strings.Join(others, ", "))
	}
	// A build of a tree has no version that the go command can install.
	if !strings.HasPrefix(version, "v") || strings.HasSuffix(version, "+dirty") {
		version = "latest"
	}
	return fmt.Errorf("%s: go install %s@%s, or run freerun in a clone of https://%s",
		text, c.path(), version, repository)
}

// installed returns the command of that version in the folder of this command or in PATH, or "".
// others describes commands of that name that do not fit.
func (c Command) installed(version string) (command string, others []string) {
	var candidates []string
	if self, err := os.Executable(); err == nil {
		candidates = append(candidates, filepath.Join(filepath.Dir(self), executable(c.Name)))
	}
	if found, err := exec.LookPath(c.Name); err == nil {
		candidates = append(candidates, found)
	}
	for _, file := range slices.Compact(candidates) {
		info, err := buildinfo.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil || info.Path != c.path():
			others = append(others, file+" is another command")
		case info.Main.Version != version:
			others = append(others, file+" is "+info.Main.Version)
		default:
			return file, nil
		}
	}
	return "", others
}

// executable returns the file name of a command on this system.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
