package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
)

// spinning is a package without an activity, and usesSpinning a program that gets checks.
const (
	spinning     = "package spinning\n\nfunc Spin(n int) int { return n }\n"
	usesSpinning = `package main

import (
	"example.org/spinning"
	"github.com/freerun-go/freerun/activity"
)

func main() { loop(nil, spinning.Spin(4)) }

func loop(a *activity.Activity, n int) {
	for n > 0 { n-- }
}
`
)

// newSpinning makes a module of both.
func newSpinning(t *testing.T) string {
	return newModule(t, map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire (\n\tgithub.com/freerun-go/freerun v0.0.0\n\texample.org/spinning v0.0.0\n)\n\n" +
			"replace (\n\tgithub.com/freerun-go/freerun => FREERUN\n\texample.org/spinning => ./spinning\n)\n",
		"main.go":              usesSpinning,
		"spinning/go.mod":      "module example.org/spinning\n\ngo 1.20\n",
		"spinning/spinning.go": spinning,
	})
}

// TestRemembered: a build after the same one takes the rewritten files from it. After a change of a
// source, of one's own or of another module, it makes them anew.
func TestRemembered(t *testing.T) {
	dir := newSpinning(t)
	folder := t.TempDir()
	var memory string
	text := func() string {
		t.Helper()
		result, err := cooperate.Rewrite(cooperate.Request{Dir: dir, Env: command(dir, "go").Env, Keep: folder})
		if err != nil || len(result.Skipped) > 0 || len(result.Texts) != 1 {
			t.Fatal(err, result)
		}
		names, err := filepath.Glob(filepath.Join(folder, "build-*"))
		if err != nil || len(names) != 1 {
			t.Fatal(err, names)
		}
		memory = names[0]
		return string(result.Texts[filepath.Join(dir, "main.go")])
	}
	// mark changes what is remembered, so that it can be told from what is made anew.
	mark := func() {
		t.Helper()
		content, err := os.ReadFile(memory)
		if err != nil {
			t.Fatal(err)
		}
		key, _, ok := bytes.Cut(content, []byte(`"Texts":{`))
		if !ok {
			t.Fatalf("%s", content)
		}
		marked := string(key) + `"Texts":{"` + filepath.ToSlash(filepath.Join(dir, "main.go")) + `":"bWFyaw=="}}`
		if err := os.WriteFile(memory, []byte(marked), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := text()
	if !strings.Contains(first, "for n > 0 { a.CheckInserted(") {
		t.Errorf("%s", first)
	}
	mark()
	if got := text(); got != "mark" {
		t.Errorf("the same build made\n%s", got)
	}
	for _, name := range []string{"main.go", "spinning/spinning.go"} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		source, err := os.ReadFile(full)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, append(source, "\nvar _ int\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := text(); !strings.HasPrefix(got, first) {
			t.Errorf("after a change of %s: %s", name, got)
		}
		mark()
	}
}

// listing returns a function that builds a pattern in a module, with nothing remembered at first,
// and reports whether the packages were listed.
func listing(t *testing.T, dir string) func(pattern string, env ...string) bool {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a script stands in for the go command")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	compiled := strings.TrimSpace(must(t, ".", "go", "env", "GOCACHE"))
	modules := strings.TrimSpace(must(t, ".", "go", "env", "GOMODCACHE"))
	bin, cache := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\necho $1 >>" + bin + "/verbs\ntest $1 = build || exec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return func(pattern string, env ...string) bool {
		t.Helper()
		g := command(dir, binary, "build", pattern)
		g.Env = append(append(g.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+cache, "HOME="+cache, "GOCACHE="+compiled, "GOMODCACHE="+modules), env...)
		if out, err := g.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		verbs, err := os.ReadFile(filepath.Join(bin, "verbs"))
		if err != nil || !strings.HasSuffix(string(verbs), "build\n") {
			t.Fatalf("%v %q", err, verbs)
		}
		if err := os.Remove(filepath.Join(bin, "verbs")); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(verbs), "list\n")
	}
}

// TestListedVendored: the same with vendored packages, whose files may change.
func TestListedVendored(t *testing.T) {
	dir := newSpinning(t)
	must(t, dir, "go", "mod", "vendor")
	lists := listing(t, dir)
	for i, want := range []bool{true, true, false} {
		if lists(".") != want {
			t.Errorf("build %d: the packages are listed is %t", i+1, !want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "vendor", "example.org", "spinning", "spinning.go"), []byte(spinning+"// Changed.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if !lists(".") {
		t.Error("after a change of a vendored package: the packages are not listed")
	}
}

// TestListedOnce: a build after the same one lists no packages. After each change of what `go list`
// reads it does.
func TestListedOnce(t *testing.T) {
	dir := newSpinning(t)
	lists := listing(t, dir)
	write := func(name, text string) func() {
		return func() {
			full := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
				t.Error(err)
			}
		}
	}
	const comment = "// Changed.\n"
	for _, c := range []struct {
		what    string
		change  func()
		pattern string
		env     string
		lists   bool
		always  bool // it lists them then each time
	}{
		{"the first build", func() {}, ".", "", true, false},
		{"a changed file", write("main.go", usesSpinning+comment), ".", "", true, false},
		{"a changed time", func() { _ = os.Chtimes(filepath.Join(dir, "main.go"), time.Time{}, time.Now()) }, ".", "", false, false},
		{"a new file", write("more.go", "package main\n"), ".", "", true, false},
		{"a file that the build leaves out", write("left.go", "//go:build left\n\npackage main\n"), ".", "", true, false},
		{"and now does not", write("left.go", "package main\n"), ".", "", true, false},
		{"a test", write("main_test.go", "package main\n"), ".", "", false, false},
		{"a tag", func() {}, ".", "GOFLAGS=-tags=left", true, false},
		{"a file that is gone", func() { _ = os.Remove(filepath.Join(dir, "more.go")) }, ".", "", true, false},
		{"a new folder beside", write("beside/beside.go", "package beside\n"), ".", "", false, false},
		{"a wide pattern", func() {}, "./...", "", true, false},
		{"a new folder in it", write("below/below.go", "package below\n"), "./...", "", true, false},
		{"a new file there", write("below/more.go", "package below\n"), "./...", "", true, false},
		{"a folder that it does not match", write("testdata/below.go", "package below\n"), "./...", "", false, false},
		{"a module in it", write("below/go.mod", "module example.org/below\n\ngo 1.26\n"), "./...", "", true, false},
		{"a package of tests alone", write("tested/x_test.go", "package tested\n"), "./tested", "", true, false},
		{"and of more", write("tested/x.go", "package tested\n"), "./tested", "", true, false},
		{"a folder named as a program of tests", write("beside.test/x.go", "package beside\n"), "./beside.test", "", true, false},
		{"a change in it", write("beside.test/x.go", "package beside\n"+comment), "./beside.test", "", true, false},
		{"a link", func() { _ = os.Symlink(filepath.Join(dir, "beside"), filepath.Join(dir, "link")) }, "./link/...", "", true, false},
		{"a new folder behind it", write("beside/new/new.go", "package new\n"), "./link/...", "", true, false},
		{"all packages", func() {}, "all", "", true, false},
		{"what a test imports", write("main_test.go", "package main\n\nimport _ \"bytes\"\n"), "all", "", true, false},
		{"a file of another module", write("spinning/spinning.go", spinning+comment), ".", "", true, false},
		{"a folder of that module", write("spinning/in/side/side.go", "package side\n"), "example.org/spinning/in/side", "", true, false},
		{"the version of Go of another module", write("spinning/go.mod", "module example.org/spinning\n\ngo 1.22\n"), ".", "", true, false},
		{"a folder of it that becomes a module", write("spinning/in/go.mod", "module example.org/in\n\ngo 1.26\n"), "example.org/spinning/in/side", "", true, true},
		{"a workspace", write("go.work", "go 1.26.0\n\nuse .\n"), ".", "GOWORK=" + filepath.Join(dir, "go.work"), true, false},
		{"more of it", write("go.work", "go 1.26.0\n\nuse .\nuse ./spinning\n"), ".", "GOWORK=" + filepath.Join(dir, "go.work"), true, false},
		{"an overlay", write("overlay.json", `{"Replace": {"left.go": ""}}`), ".", "GOFLAGS=-overlay=overlay.json", true, true},
	} {
		c.change()
		if lists(c.pattern, c.env) != c.lists {
			t.Errorf("%s: the packages are listed is %t", c.what, !c.lists)
		}
		lists(c.pattern, c.env) // once more where there are other folders than before
		if lists(c.pattern, c.env) != c.always {
			t.Errorf("%s, then: the packages are listed is %t", c.what, !c.always)
		}
	}
}

// TestChangedMeanwhile: a build during which a file comes, whose times and whose folder's are old,
// remembers no listing without it.
func TestChangedMeanwhile(t *testing.T) {
	dir, folder := newSpinning(t), t.TempDir()
	long := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(full, []byte(text), 0o644), os.Chtimes(full, long, long), os.Chtimes(dir, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	texts := func(meanwhile func()) int {
		t.Helper()
		result, err := cooperate.Rewrite(cooperate.Request{
			Dir: dir, Env: command(dir, "go").Env, Keep: folder, Below: func(*cooperate.Result) error { meanwhile(); return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return len(result.Texts)
	}
	for range 3 {
		if got := texts(func() {}); got != 1 {
			t.Fatalf("%d files are rewritten, want 1", got)
		}
	}
	write("main.go", usesSpinning+"// Changed.\n")
	texts(func() {
		write("more.go", "package main\n\nimport \"github.com/freerun-go/freerun/activity\"\n\nfunc more(a *activity.Activity) {\n\tfor {\n\t}\n}\n")
	})
	if got := texts(func() {}); got != 2 {
		t.Errorf("%d files are rewritten, want 2", got)
	}
}

// TestRewrittenAnew: while a package is rewritten, the others are those of now, not those that an
// earlier build has rewritten.
func TestRewrittenAnew(t *testing.T) {
	const (
		plain = "package plain\n\n//freerun:uncooperative\nfunc Old() int { return 1 }\n"
		user  = "package main\n\nimport (\n\t\"example.org/user/plain\"\n\t\"github.com/freerun-go/freerun/activity\"\n)\n\n" +
			"func main() { loop(nil, plain.Old()) }\n\nfunc loop(a *activity.Activity, n int) {\n\tfor n > 0 {\n\t\tn--\n\t}\n}\n"
	)
	dir, folder := newModule(t, map[string]string{"main.go": user, "plain/plain.go": plain}), t.TempDir()
	rewrite := func() {
		t.Helper()
		result, err := cooperate.Rewrite(cooperate.Request{Dir: dir, Env: command(dir, "go").Env, Keep: folder})
		if err != nil || len(result.Skipped) > 0 || len(result.Texts) != 2 {
			t.Errorf("%v %v, %d files", err, result.Skipped, len(result.Texts))
		}
	}
	rewrite()
	for name, text := range map[string]string{"plain/plain.go": plain + "\nfunc New() int { return 2 }\n", "main.go": strings.Replace(user, "plain.Old", "plain.New", 1)} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rewrite()
}
