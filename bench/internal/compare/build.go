package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// command is the package whose binary measures, and measureCommand its hidden command for one
// measurement. Both have been the same since programs are measured in processes of their own.
const (
	command        = "./cmd/freerun"
	measureCommand = "measure-one"
)

// kept is where the binaries are, below the root; git ignores it.
const kept = ".bench/compare"

// resolve returns the hash of the commit that the user names. A name that stands for a tree with
// changes is no commit.
func resolve(ctx context.Context, root, name string) (string, error) {
	for _, suffix := range []string{"-dirty", "-modified"} {
		if clean, found := strings.CutSuffix(name, suffix); found {
			return "", fmt.Errorf("the base %q is a tree with changes, which nobody can build again: commit them, or name the commit %q", name, clean)
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

// builder builds binaries of the freerun command.
type builder struct {
	root string
	log  io.Writer // for what the go command says
}

// base returns the binary of the commit. It builds it in a temporary worktree, unless it was built
// before.
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
		// Not by ctx: the worktree is to be forgotten if ctx has ended, too.
		_, removed := output(context.WithoutCancel(ctx), b.root, "git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	if err := b.build(ctx, tree, binary); err != nil {
		return "", fmt.Errorf("the base: %w", err)
	}
	return binary, nil
}

// workingTree returns the binary of the files as they are.
func (b *builder) workingTree(ctx context.Context) (string, error) {
	binary, err := b.binary("new")
	if err != nil {
		return "", err
	}
	return binary, b.build(ctx, b.root, binary)
}

// binary returns the path of a binary in the folder for them, which it makes.
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

// build builds the command of the tree. Without paths and revisions in them, two binaries differ in
// nothing but what their sources differ in. The file appears when it is complete.
func (b *builder) build(ctx context.Context, tree, binary string) error {
	part := binary + ".part"
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", part, command)
	c.Dir = tree
	c.Env = append(os.Environ(), "GOWORK=") // the workspace of the tree itself
	c.Stdout, c.Stderr = b.log, b.log
	if err := c.Run(); err != nil {
		return fmt.Errorf("go build %s: %w", command, err)
	}
	return os.Rename(part, binary)
}

// output runs a command in the folder and returns what it writes; an error has what it complains
// of.
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
