package companion

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/commandline"
)

// ownClone returns the root of the clone that this command was compiled in, if it still exists. A
// command that was installed, or built with -trimpath, knows none.
func (c Command) ownClone() (root string, ok bool) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", false
	}
	root = filepath.Join(filepath.Dir(file), "..", "..", "..")
	return root, c.isIn(root)
}

// cloneAround returns the root of the clone that the folder is in.
func (c Command) cloneAround(folder string) (root string, ok bool) {
	root, err := filepath.Abs(folder)
	for err == nil {
		if c.isIn(root) {
			return root, true
		}
		parent := filepath.Dir(root)
		if parent == root {
			break
		}
		root = parent
	}
	return "", false
}

// isIn reports whether the folder is the root of a clone of the repository, with the command.
func (c Command) isIn(root string) bool {
	for _, name := range []string{"go.work", "cmd/freerun/main.go", c.Folder + "/main.go"} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return false
		}
	}
	return true
}

// build builds the command from the clone, as this command was built, and returns its file.
func (c Command) build(root string, info *debug.BuildInfo) (string, error) {
	flags, env := buildAs(info)
	hash := fnv.New32a()
	for _, word := range slices.Concat(flags, env) {
		hash.Write([]byte(word + "\x00"))
	}
	folder, err := binaries(root)
	if err != nil {
		return "", err
	}
	// One file for each way to build, so that two commands built in different ways do not take
	// turns in linking, nor run each other's.
	file := filepath.Join(folder, executable(fmt.Sprintf("%s-%08x", c.Name, hash.Sum32())))
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	if name := revision(ctx, root); name != "" && commitOf(info) == "" {
		flags = append(flags, "-ldflags=-X main.revision="+name)
	}
	dir, where, workspace := root, "./"+c.Folder, "GOWORK=" // the clone's own workspace
	if c.Apart {
		dir, where, workspace = filepath.Join(root, filepath.FromSlash(c.Folder)), ".", "GOWORK=off"
	}
	g := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", file}, flags, []string{where})...)
	g.Dir = dir
	g.Env = slices.Concat(os.Environ(), env, []string{workspace})
	g.Stdout, g.Stderr = os.Stderr, os.Stderr
	g.Cancel = func() error { return g.Process.Signal(os.Interrupt) }
	err = g.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", bench.ErrInterrupted
	case errors.As(err, &exit): // the go command has written its error
		return "", &commandline.StatusError{Status: commandline.Failed}
	case err != nil:
		return "", fmt.Errorf("%s are in a command that is built from its source in %s, and there is no go command that works: %w; install Go, or put it into PATH", c.Does, root, err)
	}
	built, err := buildinfo.ReadFile(file)
	if err != nil {
		return "", err
	}
	return file, c.differ(info, built)
}

// differ returns an error if the commits of both commands are known and differ: then the clone has
// changed since this command was built from it, and figures would be of other code.
func (c Command) differ(own, built *debug.BuildInfo) error {
	was, is := commitOf(own), commitOf(built)
	if was == "" || is == "" || was == is {
		return nil
	}
	return fmt.Errorf("this command is of commit %.12s, and its clone is at %.12s: build this command again, or build ./%s at the commit to be measured", was, is, c.Folder)
}

// commitOf returns the commit that a command was built from, or "" if its build did not note it.
func commitOf(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// revision names the commit that a clone is at, and whether it has changes, or returns "" if git
// does not tell. `go run` notes no commit, nor does the go command in a second worktree.
func revision(ctx context.Context, root string) string {
	g := exec.CommandContext(ctx, "git", "describe", "--always", "--exclude", "*", "--abbrev=12", "--dirty=-modified")
	g.Dir = root
	name, err := g.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}

// binaries returns the folder for the binaries of a clone: the one that git ignores, or, if the
// clone cannot be written, one in the user's cache.
func binaries(root string) (string, error) {
	folder := filepath.Join(root, ".bin")
	if err := writableFolder(folder); err == nil {
		return folder, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	hash := fnv.New32a()
	hash.Write([]byte(root))
	folder = filepath.Join(cache, "freerun", fmt.Sprintf("%08x", hash.Sum32()))
	return folder, writableFolder(folder)
}

// writableFolder makes the folder, and makes and removes a file in it.
func writableFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	probe, err := os.CreateTemp(folder, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// buildAs returns the flags and the environment with which the go command builds another command as
// it has built this one: with the same tags, the race detector, for the same processors.
func buildAs(info *debug.BuildInfo) (flags, env []string) {
	stamp := "false"
	if commitOf(info) != "" {
		stamp = "auto"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "-buildmode", s.Key == "-compiler": // nothing to choose from
		case s.Key == "-ldflags": // they name a revision: each would leave a binary behind
		case strings.HasPrefix(s.Key, "-"):
			flags = append(flags, s.Key+"="+s.Value)
		case strings.HasPrefix(s.Key, "GO"), strings.HasPrefix(s.Key, "CGO_"):
			env = append(env, s.Key+"="+s.Value)
		}
	}
	return append(flags, "-buildvcs="+stamp), env
}
