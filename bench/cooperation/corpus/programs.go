package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/freerun-go/freerun/bench/cooperation/internal/gocmd"
)

//go:embed inactivity/inactivity.go
var inactivity []byte

// program is a package's two test programs, by go and by freerun.
type program struct {
	binaries [2]string
	folder   string // where its tests find their files
	only     string // tests that run
	skip     string // tests that do not
}

// build copies a module and compiles the tests of a package, as they are by go, and in activities
// by freerun.
func (c *corpus) build(s subject, folder string) (p program, err error) {
	copies := [2]string{}
	for i := range copies {
		if copies[i], err = c.copied(s, i == 1); err != nil {
			return p, err
		}
	}
	// Both programs run in the folder of the first copy, and so with the same files.
	p.folder, p.skip = filepath.Join(copies[0], folder), s.skip
	if p.only = s.only; p.only == "" {
		p.only = "^(Test|Fuzz)" // examples run in no activity
	}
	flags := []string{"test", "-vet=off", "-c"}
	if c.race {
		flags = append(flags, "-race")
	}
	for i, command := range []string{"go", c.freerun} {
		p.binaries[i] = filepath.Join(c.dir, strings.ReplaceAll(s.path(folder), "/", "-")+fmt.Sprint(".", i))
		args := append(flags[:len(flags):len(flags)], "-o", p.binaries[i], "./"+folder)
		if _, err := gocmd.Output(copies[i], gocmd.Settings, command, args...); err != nil {
			return p, err
		}
	}
	return p, nil
}

// copied returns the folder of a module's copy. If it is wrapped, its tests run in activities.
func (c *corpus) copied(s subject, wrapped bool) (string, error) {
	to := filepath.Join(c.dir, strings.ReplaceAll(s.module, "/", "-"))
	if wrapped {
		to += "-inside"
	}
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	said, err := gocmd.Output(c.dir, []string{"GOWORK=off"}, "go", "mod", "download", "-json", s.module+"@"+s.version)
	if err != nil {
		return "", err
	}
	var from struct{ Dir string }
	if err := json.Unmarshal(said, &from); err != nil {
		return "", err
	}
	if err := os.CopyFS(to, os.DirFS(from.Dir)); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(to, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(filepath.Join(to, "go.mod"), []byte("module "+s.module+"\n"), 0o644); err != nil {
			return "", err
		}
	}
	leaks, err := c.noLeaks()
	if err != nil {
		return "", err
	}
	// Both copies alike: the version of the language, and of modules that freerun depends on.
	if _, err := gocmd.Output(to, gocmd.Settings, "go", "mod", "edit", "-go=1.26", "-require="+gocmd.Freerun+"@v0.1.0",
		"-replace="+gocmd.Freerun+"="+c.root, "-replace=go.uber.org/goleak="+leaks); err != nil {
		return "", err
	}
	if !wrapped {
		return to, nil
	}
	return to, wrapAll(to, s.module)
}

// noLeaks returns the folder of a package goleak that finds nothing: the tests' own activities are
// there while they run.
func (c *corpus) noLeaks() (string, error) {
	dir := filepath.Join(c.dir, "goleak")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"go.mod": "module go.uber.org/goleak\n\ngo 1.26\n",
		"goleak.go": `package goleak

import (
	"os"
	"testing"
)

type Option any

func Find(...Option) error                          { return nil }
func VerifyNone(any, ...Option)                     {}
func VerifyTestMain(m *testing.M, _ ...Option)      { os.Exit(m.Run()) }
func IgnoreCurrent() Option                         { return nil }
func IgnoreTopFunction(string) Option               { return nil }
func IgnoreAnyFunction(string) Option               { return nil }
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// wrapAll has the tests of a module run in activities.
func wrapAll(dir, module string) error {
	const own = "freeruninactivity"
	if err := os.Mkdir(filepath.Join(dir, own), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, own, "inactivity.go"), inactivity, 0o644); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if text, err = wrap(name, text, module+"/"+own); err != nil {
			return err
		}
		return os.WriteFile(name, text, 0o644)
	})
}

// results are what a test program said.
type results struct {
	ended map[string]string // pass, fail or skip, by the test
	took  time.Duration
	hung  bool
}

// run runs one of a program's binaries, with the tests that match, and keeps what it prints.
func (c *corpus) run(p program, which int, tests, suffix string) (*results, error) {
	said, err := os.Create(p.binaries[which] + suffix + ".txt")
	if err != nil {
		return nil, err
	}
	defer said.Close()
	run := exec.Command(p.binaries[which], "-test.v=test2json", "-test.paniconexit0", "-test.short",
		"-test.timeout="+c.timeout.String(), "-test.run="+tests, "-test.skip="+p.skip)
	run.Dir, run.Stdout, run.Stderr = p.folder, said, said
	run.Env = append(os.Environ(), "GOTRACEBACK=all", "PWD="+p.folder)
	begin := time.Now()
	if err := run.Start(); err != nil {
		return nil, err
	}
	r := &results{ended: map[string]string{}}
	late := time.AfterFunc(c.timeout+20*time.Second, func() { _ = run.Process.Signal(syscall.SIGQUIT) })
	later := time.AfterFunc(c.timeout+30*time.Second, func() { _ = run.Process.Kill() })
	_ = run.Wait() // the tests tell
	late.Stop()
	later.Stop()
	r.took = time.Since(begin)
	r.hung = r.took >= c.timeout
	text, err := os.ReadFile(said.Name())
	if err != nil {
		return nil, err
	}
	convert := exec.Command("go", "tool", "test2json")
	convert.Stdin = bytes.NewReader(text)
	events, err := convert.Output()
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(events))
	for lines.Buffer(nil, 1<<24); lines.Scan(); {
		var e struct{ Action, Test string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, err
		}
		if e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
			r.ended[e.Test] = e.Action
		}
	}
	return r, lines.Err()
}
