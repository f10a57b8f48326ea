package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// echo is a program that prints its input, and ends with the status that it is told.
const echo = `package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/freerun-go/freerun/activity"
)

func main() {
	in, _ := io.ReadAll(os.Stdin)
	status(nil, fmt.Sprint(os.Args[1:], string(in), os.Getenv("ECHO"), tag))
}

func status(a *activity.Activity, text string) {
	fmt.Print(text)
	if len(os.Args) > 1 {
		n, _ := strconv.Atoi(os.Args[1])
		os.Exit(n)
	}
}
`

const (
	tagged   = "//go:build tagged\n\npackage main\n\nvar tag = \"tagged\"\n"
	untagged = "//go:build !tagged\n\npackage main\n\nvar tag = \"untagged\"\n"
)

// TestPassedThrough: flags, arguments, standard input, the environment and the exit status are
// those of the go command.
func TestPassedThrough(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": echo, "tagged.go": tagged, "untagged.go": untagged})
	other := t.TempDir()
	for _, c := range []struct {
		args   []string
		out    string
		errs   string
		status int
	}{
		{args: []string{"run", "."}, out: "[]in env untagged"},
		{args: []string{"run", "-tags", "tagged", ".", "0", "-tags", "--", "x"}, out: "[0 -tags -- x]in env tagged"},
		{args: []string{"run", "main.go", "tagged.go", "0"}, out: "[0]in env tagged"},
		{args: []string{"run", "-tags=tagged", "main.go", "tagged.go", "0"}, out: "[0]in env tagged"},
		{args: []string{"run", ".", "3"}, out: "[3]in env untagged", errs: "exit status 3\n", status: 1},
		{args: []string{"run", "-C", dir, "./"}, out: "[]in env untagged"},
		{args: []string{"build", "-wrong", "."}, errs: "flag provided but not defined: -wrong\n", status: 2},
		{args: []string{"build", "./nowhere"}, errs: "directory not found", status: 1},
		{args: []string{"build", "-n", "-o", "x", "."}, errs: "link"},
		{args: []string{"run"}, errs: "go: no go files listed\n", status: 1},
	} {
		from := dir
		if len(c.args) > 1 && c.args[1] == "-C" {
			from = other
		}
		g := command(from, binary, c.args...)
		g.Env = append(g.Env, "ECHO= env ")
		g.Stdin = strings.NewReader("in")
		var out, errs strings.Builder
		g.Stdout, g.Stderr = &out, &errs
		_ = g.Run()
		if out.String() != c.out || !strings.Contains(errs.String(), c.errs) || (c.errs == "") != (errs.Len() == 0) || g.ProcessState.ExitCode() != c.status {
			t.Errorf("freerun %v: exit status %d, want %d\n%s\nwant %s\n%s\nwant %s", c.args, g.ProcessState.ExitCode(), c.status, &out, c.out, &errs, c.errs)
		}
	}
}

// TestUsersOverlay: the files in the user's own overlay are rewritten instead of those that they
// replace, wherever the overlay is named.
func TestUsersOverlay(t *testing.T) {
	dir := newModule(t, map[string]string{
		"main.go": echo, "tagged.go": tagged, "untagged.go": untagged, "other/untagged.go": strings.ReplaceAll(untagged, `"untagged"`, `"replaced"`),
	})
	text, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(dir, "untagged.go"): "other/untagged.go", filepath.Join(dir, "added.go"): filepath.Join(dir, "added"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"o.json": string(text), "wrong.json": "{",
		"added": "package main\n\nimport \"github.com/freerun-go/freerun/activity\"\n\nfunc init() {\n\tfunc(a *activity.Activity) {\n\t\tfor range 2 {\n\t\t\tprint(1)\n\t\t}\n\t}(nil)\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, status := in(t, dir, binary, "run", "-overlay", "o.json", ".")
	if out != "[]replaced" || errs != "11" || status != 0 {
		t.Errorf("-overlay: exit status %d, %q %q", status, out, errs)
	}
	g := command(dir, binary, "run", ".")
	g.Env = append(g.Env, "GOFLAGS=-overlay=o.json")
	if out, err := g.Output(); string(out) != "[]replaced" || err != nil {
		t.Errorf("GOFLAGS: %v, %q", err, out)
	}
	for _, name := range []string{"wrong.json", "none.json"} {
		out, errs, status = in(t, dir, binary, "run", "-overlay="+name, ".")
		if out != "" || status != 2 || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, `freerun: -overlay is "`+name+`", and must be a JSON file`) {
			t.Errorf("%s: exit status %d, %q %q", name, status, out, errs)
		}
	}
}

// TestMisplacedDirective: a directive that has no effect is an error.
func TestMisplacedDirective(t *testing.T) {
	const head = "package main\n\nimport \"github.com/freerun-go/freerun/activity\"\n\nvar a activity.Activity\n\n"
	for text, want := range map[string]string{
		"//freerun:uncooperative\nvar b int\n\nfunc main() {}\n":              "main.go:7:1: //freerun:uncooperative has no effect here",
		"func main() {\n\t//freerun:uncooperative\n\tfor {\n\t}\n}\n":         "main.go:8:2: //freerun:uncooperative has no effect here",
		"// main is it.\n//\n//freerun:cooperative\nfunc main() {\n}\n":       "main.go:9:1: unknown directive //freerun:cooperative, there is //freerun:uncooperative",
		"//freerun:uncooperative\n\n// main is it.\nfunc main() {\n}\n":       "main.go:7:1: //freerun:uncooperative has no effect here",
		"// main is it.\n//\n//freerun:uncooperative now\nfunc main() {\n}\n": "main.go:9:1: unknown directive",
		"// main is it.\n//\n// freerun:uncooperative\nfunc main() {\n}\n":    "main.go:9:1: the directive is written //freerun:uncooperative, without spaces",
		"// main is it.\n//\n//freerun: uncooperative\nfunc main() {\n}\n":    "main.go:9:1: the directive is written //freerun:uncooperative, without spaces",
	} {
		dir := newModule(t, map[string]string{"main.go": head + text})
		out, errs, status := in(t, dir, binary, "build", ".")
		if out != "" || status != 1 || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "freerun: "+dir+string(filepath.Separator)+want) {
			t.Errorf("exit status %d, %q %q, want %q", status, out, errs, want)
		}
	}
}

// TestGoCommandIsMissing: one line reports that there is no go command.
func TestGoCommandIsMissing(t *testing.T) {
	g := exec.Command(binary, "build", ".")
	g.Env = []string{"PATH=", "HOME=" + t.TempDir()}
	var errs strings.Builder
	g.Stderr = &errs
	_ = g.Run()
	if g.ProcessState.ExitCode() != 1 || strings.Count(errs.String(), "\n") != 1 || !strings.HasPrefix(errs.String(), "freerun: there is no go command that works: ") {
		t.Errorf("exit status %d, %q", g.ProcessState.ExitCode(), &errs)
	}
}
