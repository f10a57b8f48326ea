package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes a repository with two commits of a command, and a change that is not committed.
// The command prints a text of its commit. In the first commit it has its former place.
func repository(t *testing.T) (root string, first string) {
	t.Helper()
	root = t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		// The user's settings must not matter.
		args = append([]string{"-c", "user.name=tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false"}, args...)
		out, err := output(t.Context(), root, "git", args...)
		if err != nil {
			t.Skipf("git does not work here: %v", err)
		}
		return strings.TrimSpace(out)
	}
	write := func(place, says string) {
		t.Helper()
		folder := filepath.Join(root, place)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		source := "package main\n\nfunc main() { print(\"" + says + "\") }\n"
		if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/tested\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte("/.bench/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(formerCommand, "first")
	git("add", ".")
	git("commit", "--quiet", "--message", "first")
	first = git("rev-parse", "HEAD")
	write(formerCommand, "not measured")
	write(command, "second")
	git("add", ".")
	git("commit", "--quiet", "--message", "second")
	write(command, "changed")
	return root, first
}

func TestResolve(t *testing.T) {
	root, first := repository(t)
	for _, name := range []string{"HEAD~1", first, first[:8]} {
		if hash, err := resolve(t.Context(), root, name); err != nil || hash != first {
			t.Errorf("%s: %s, %v", name, hash, err)
		}
	}
	for name, says := range map[string]string{
		"HEAD-dirty":         "a tree with changes",
		"v1.2-3-g1-modified": "a tree with changes",
		"nonsense":           `"nonsense" is no commit`,
		"HEAD:go.mod":        "is no commit",
		"--all":              "is no commit",
		"":                   "is no commit",
	} {
		if _, err := resolve(t.Context(), root, name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBuild: the base is built from its commit, and only once; the new binary is built from the
// working tree; no worktree is left.
func TestBuild(t *testing.T) {
	root, first := repository(t)
	b := builder{root: root, log: io.Discard}
	says := func(binary string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		said, err := output(t.Context(), root, "sh", "-c", `"$0" 2>&1`, binary)
		if err != nil {
			t.Skipf("binaries cannot be run here: %v", err)
		}
		return said
	}
	base, err := b.base(t.Context(), first)
	if got := says(base, err); got != "first" {
		t.Errorf("the base says %q", got)
	}
	if got := says(b.workingTree(t.Context())); got != "changed" {
		t.Errorf("the working tree says %q", got)
	}
	if trees, err := output(t.Context(), root, "git", "worktree", "list", "--porcelain"); err != nil || strings.Count(trees, "worktree ") != 1 {
		t.Errorf("worktrees: %v\n%s", err, trees)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // so that nothing can be built
	if again, err := b.base(ended, first); err != nil || again != base {
		t.Errorf("the base, once more: %s, %v", again, err)
	}
	if _, err := b.workingTree(ended); err == nil {
		t.Error("the working tree was built after the end")
	}
}
