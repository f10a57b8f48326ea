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
