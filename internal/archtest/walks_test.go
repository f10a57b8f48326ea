package archtest_test

import (
	"slices"
	"strings"
	"testing"
)

// TestWalks follows the names in the walks of ARCHITECTURE.md through the code.
func TestWalks(t *testing.T) {
	problems, followed, err := house(t).Walks()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
	if followed < 20 {
		t.Errorf("the walks have %d names; is there no section any more that begins with \"The life of\"?", followed)
	}
}

// TestWalksPlanted plants names that lead nowhere.
func TestWalksPlanted(t *testing.T) {
	const walk = "# A house\n\n`gone` is not read here.\n\n## The life of a door\n\n" +
		"```go\nopened := Open()\n```\n\nA text.\n\n### Below\n\n"
	for text, want := range map[string]string{
		"`Open` (left/left.go)":                    "",
		"`Door.open`, `Door.hinge`, `left.Door`":   "",
		"`left.Door.open` and `Lock`":              "",
		"`Opener.Open`, `Mode`, `fast`, `current`": "",
		"`opened`, `a + b`, `left.go`, `go:x`":     "",
		"`Open`\n(left/left.go) does":              "",
		"\n# Another\n\n`gone`":                    "",
		"`gone`":                                   "there is no gone in the root module",
		"`Door.shut`":                              "there is no Door.shut in the root module",
		"`left.open`":                              "there is no left.open in the root module",
		"`Open` (right/right.go)":                  "there is no Open in right/right.go",
		"`Door.open` (left/gone.go)":               "there is no Door.open in left/gone.go",
		"`Open`\n(right/right.go has it)":          "there is no Open in right/right.go",
		"`tested`":                                 "there is no tested in the root module",
		"`tooled`":                                 "there is no tooled in the root module",
	} {
		files := map[string]string{
			"ARCHITECTURE.md": walk + text + "\n",
			"go.work":         "go 1.26\n",
			"go.mod":          "module example.org/house\n",
			"left/left.go": strings.Join([]string{
				"package left",
				"func Open() {}",
				"type Door struct{ hinge int }",
				"func (d *Door) open() {}",
				"type Box[T any] struct{ sync.Mutex }",
				"func (Box[T]) Lock() {}",
				"type Opener interface{ Open() }",
				"type Mode int",
				"const slow, fast = 1, 2",
				"var current Mode",
			}, "\n"),
			"left/left_test.go": "package left\n\nfunc tested() {}\n",
			"right/right.go":    "package right\n",
			"tool/go.mod":       "module example.org/house/tool\n",
			"tool/tool.go":      "package tool\n\nfunc tooled() {}\n",
		}
		var wanted []string
		if want != "" {
			wanted = []string{"ARCHITECTURE.md:15: " + want}
		}
		problems, _, err := planted(t, files).Walks()
		if err != nil || !slices.Equal(problems, wanted) {
			t.Errorf("%q: reported %q, error %v; want %q", text, problems, err, wanted)
		}
	}
}

// TestWay follows the way of a message, drawn in ../../send.go. The way from a sender through the
// unit back to the waiter may lead through 18 files.
func TestWay(t *testing.T) {
	const mostFiles = 18
	problems, steps, files, err := house(t).Way("send.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
	if steps < 20 || len(files) < 10 {
		t.Errorf("the way has %d steps in %d files; is it drawn in another form now?", steps, len(files))
	}
	if len(files) > mostFiles {
		t.Errorf("the way leads through %d files, more than %d: %q", len(files), mostFiles, files)
	}
}

// TestWayPlanted plants steps that lead nowhere.
func TestWayPlanted(t *testing.T) {
	for step, want := range map[string]string{
		"Open        left.go          opens": "left.go:3: there is no Open in left.go",
		"Door.open   below":                  "",
		"door        below            shuts": "left.go:3: there is no door in left.go",
		"Door.shut   right/right.go   shuts": "",
		"Door.gone   right/right.go":         "left.go:3: there is no Door.gone in right/right.go",
		"Door.shut   gone.go":                "left.go:3: there is no Door.shut in gone.go",
		"the door    below":                  "no step",
	} {
		tree := planted(t, map[string]string{
			"go.work":        "go 1.26\n",
			"go.mod":         "module example.org/house\n",
			"left.go":        "package left\n\n//\t" + step + "\ntype Door struct{}\nfunc (d *Door) open() {}\n",
			"right/right.go": "package right\ntype Door struct{}\nfunc (d *Door) shut() {}\n",
		})
		var wanted []string
		if want != "" && want != "no step" {
			wanted = []string{want}
		}
		problems, steps, files, err := tree.Way("left.go")
		if err != nil || !slices.Equal(problems, wanted) {
			t.Errorf("%q: reported %q, error %v; want %q", step, problems, err, wanted)
		}
		if followed := want != "no step"; (steps == 1) != followed || (len(files) == 1) != followed {
			t.Errorf("%q: %d steps in the files %q", step, steps, files)
		}
	}
	if _, _, _, err := planted(t, map[string]string{"go.work": "go 1.26\n"}).Way("left.go"); err == nil {
		t.Error("a way that is drawn nowhere gives no error")
	}
}
