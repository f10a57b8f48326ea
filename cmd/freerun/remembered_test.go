package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// TestRemembered: a build after the same one takes the rewritten files from it. After a change of a
// source, of one's own or of another module, it makes them anew.
func TestRemembered(t *testing.T) {
	dir := newModule(t, map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire (\n\tgithub.com/freerun-go/freerun v0.0.0\n\texample.org/spinning v0.0.0\n)\n\n" +
			"replace (\n\tgithub.com/freerun-go/freerun => FREERUN\n\texample.org/spinning => ./spinning\n)\n",
		"main.go":              usesSpinning,
		"spinning/go.mod":      "module example.org/spinning\n\ngo 1.20\n",
		"spinning/spinning.go": spinning,
	})
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
