package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// command is the package of the command that measures. Older commits do not have it; there
// formerCommand measures. measureCommand is the hidden subcommand of both for one measurement. So a
// base can be as old as the first commit that measures programs in processes of their own.
const (
	command        = "./bench/freerun-bench"
	formerCommand  = "./cmd/freerun"
	measureCommand = "measure-one"
)

// kept is the folder of the binaries, below the root. git ignores it.
const kept = ".bench/compare"

// resolve returns the hash of the commit that the user names. A name that stands for a tree with
// changes names no commit.
func resolve(ctx context.Context, root, name string) (string, error) {
	for _, suffix := range []string{"-dirty", "-modified"} {
		if clean, found := strings.CutSuffix(name, suffix); found {
			return "", fmt.Errorf("the base %q is a tree with changes, which cannot be built again: commit them, or name the commit %q", name, clean)
		}
	}
	if strings.HasPrefix(name, "-") {
		return "", fmt.Errorf("the base %q is no commit", name)
	}
	hash, err := output(ctx, root, "git", "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("the base %q is no commit of this repository", name)
	}
	return strings.TrimSpace(hash), nil
}

// builder builds binaries of the command that measures.
type builder struct {
	root string
	log  io.Writer // for the output of the go command
}

// base returns the binary of the commit. Unless the binary exists already, base builds it in a
// temporary worktree.
func (b *builder) base(ctx context.Context, hash string) (binary string, err error) {
	binary, err = b.binary(hash[:12] + "-" + runtime.Version())
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	tree, err := os.MkdirTemp("", "freerun-compare-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tree)) }()
	if _, err := output(ctx, b.root, "git", "worktree", "add", "--quiet", "--detach", tree, hash); err != nil {
		return "", err
	}
	defer func() {
		// Not by ctx: git must forget the worktree even if ctx has ended.
		_, removed := output(context.WithoutCancel(ctx), b.root, "git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	if err := b.build(ctx, tree, binary, "go"); err != nil {
		return "", fmt.Errorf("the base: %w", err)
	}
	return binary, nil
}

// workingTree builds and returns the binary of the working tree as it is.
func (b *builder) workingTree(ctx context.Context) (string, error) {
	binary, err := b.binary("new")
	if err != nil {
		return "", err
	}
	return binary, b.build(ctx, b.root, binary, "go")
}

// cooperating builds and returns the binary of the working tree by freerun build.
func (b *builder) cooperating(ctx context.Context) (string, error) {
	binary, err := b.binary("cooperating")
	if err != nil {
		return "", err
	}
	return binary, b.build(ctx, b.root, binary, "go", "run", "./cmd/freerun")
}

// binary returns the path of a binary in its folder. It makes the folder.
func (b *builder) binary(name string) (string, error) {
	folder, err := filepath.Abs(filepath.Join(b.root, kept))
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(folder, name), os.MkdirAll(folder, 0o755)
}

// build has a command, go or one that is called as it is, build the command of the tree without
// paths and revisions, so that two binaries differ only where their sources differ. The file
// appears when it is complete.
func (b *builder) build(ctx context.Context, tree, binary string, by ...string) error {
	part, measures := binary+".part", command
	if _, err := os.Stat(filepath.Join(tree, command)); errors.Is(err, fs.ErrNotExist) {
		measures = formerCommand
	}
	args := append(by[1:len(by):len(by)], "build", "-trimpath", "-buildvcs=false", "-o", part, measures)
	c := exec.CommandContext(ctx, by[0], args...)
	c.Dir = tree
	c.Env = append(os.Environ(), "GOWORK=") // the tree's own workspace
	c.Stdout, c.Stderr = b.log, b.log
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s build %s: %w", strings.Join(by, " "), measures, err)
	}
	return os.Rename(part, binary)
}

// output runs a command in the folder and returns its standard output. An error has its standard
// error.
func output(ctx context.Context, folder, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w %s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}
