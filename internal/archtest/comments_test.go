package archtest_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/archtest"
)

var update = flag.Bool("update", false, "draw the tables in testdata again, if they shrink")

// TestCommentsWidth checks the width of lines with comments. testdata/wide.txt says how many wide
// lines each folder still has. There must be neither more nor fewer. After mending some, draw the
// table again:
//
//	go test ./internal/archtest -run Comments -update
func TestCommentsWidth(t *testing.T) {
	const file = "testdata/wide.txt"
	wide := house(t).WideComments()
	now, where := archtest.Ratchet{}, map[string]string{}
	for _, w := range wide {
		now[w.Folder]++
		where[w.Folder] = w.Position
	}
	compare(t, file, now, func(folder, problem string) {
		t.Errorf("lines with comments wider than 100 columns in %s (%s is one)", problem, where[folder])
	})
}

// compare calls report for each name whose count differs from the table in a file. With -update it
// draws the table again instead.
func compare(t *testing.T, file string, now archtest.Ratchet, report func(name, problem string)) {
	t.Helper()
	allowed, err := archtest.ReadRatchet(file)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := allowed.Redraw(file, now); err != nil {
			t.Error(err)
		}
		return
	}
	for _, problem := range allowed.Compare(now) {
		name, _, _ := strings.Cut(problem, ":")
		report(name, problem)
	}
}

// TestCommentsMentions checks that the files, tests, decisions and headings that comments and
// documents name exist.
func TestCommentsMentions(t *testing.T) {
	problems, err := house(t).Mentions()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

func TestCommentsDocNames(t *testing.T) {
	for _, problem := range house(t).MisnamedDocs() {
		t.Error(problem)
	}
}

// TestCommentsDocNamesPlanted plants comments that begin with a word like a name: those are
// reported that name another thing than the declaration.
func TestCommentsDocNamesPlanted(t *testing.T) {
	for text, want := range map[string]string{
		"// door opens.\nfunc door() {}":                                    "",
		"// A door opens.\nfunc gate() {}":                                  "",
		"// DOS is old.\nfunc gate() {}":                                    "",
		"// door's key opens.\nfunc gate() {}":                              "",
		"// Open shows it.\nfunc ExampleDoor_Open() {}":                     "",
		"// inner and outer\nvar (\n\touter int\n\tinner int\n)":            "",
		"// Both.\nvar (\n\t// inner is dark.\n\touter int\n\tinner int\n)": "",
		"//go:noinline\nfunc door() {}":                                     "",
		"// door opens.\nfunc gate() {}":                                    "the comment of gate begins with door",
		"// TestDoor: it opens.\nfunc TestGate() {}":                        "the comment of TestGate begins with TestDoor",
		"// door, or gate\ntype window struct{}":                            "the comment of window begins with door",
		"type house interface {\n\t// door opens.\n\tgate()\n}":             "the comment of gate begins with door",
		"const (\n\t// runBegin starts.\n\tkindRunBegin = iota\n\tother\n)": "the comment of kindRunBegin begins with runBegin",
	} {
		files := sound()
		files["left/left.go"] = "package left\n\n" + text + "\n"
		var wanted []string
		if want != "" {
			wanted = []string{fmt.Sprintf("left/left.go:%d: %s", 3+strings.Count(text[:strings.Index(text, "//")], "\n"), want)}
		}
		if problems := planted(t, files).MisnamedDocs(); !slices.Equal(problems, wanted) {
			t.Errorf("%q: reported %q; want %q", text, problems, wanted)
		}
	}
}

// talking returns a repository in whose comments and documents there is nothing to report: what
// they name exists, or is exempt, as in CHANGELOG.md and in addresses.
func talking() map[string]string {
	files := sound()
	files["docs/adr/0007-doors.md"] = "# Doors\n\nSee inner.go, `left/left.go`, [the house](../../house.go), TestDoor and ADR 7.\n\n## Who, and *how*: `open`\n"
	files["README.md"] = "docs/adr/0007 has it, in house_*.go, https://example.org/gone.go. See [x](docs/adr/0007-doors.md#who-and-how-open).\n"
	files["CHANGELOG.md"] = "TestGone of gone.go, ADR 99.\n"
	files["left/door_test.go"] = "package left\n\nfunc TestDoor() {}\nfunc BenchmarkDoor() {}\n"
	files["left/left.go"] = strings.Join([]string{
		"// Package left has an example with func TestGone.",
		"// It has left.go, door_test.go, d…_test.go, right/right.go and inner/inner.go.",
		"// Checked by: TestDoor, TestD…, Test…, BenchmarkDoor.",
		"// As decided in docs/adr/0007-doors.md, ADR 7.",
		"// Go's own runtime/proc.go, and https://example.org/x/gone.go.",
		"package left",
		"",
		"//go:generate " + strings.Repeat("x", 100),
		"",
		"// https://example.org/" + strings.Repeat("x", 100),
		"",
		"const text = `" + strings.Repeat("x", 100) + "`",
		"",
		"\t// " + strings.Repeat("ß", 93),
		"",
	}, "\n")
	files["left/made.go"] = "// Code generated by hand. DO NOT EDIT.\n\npackage left\n\n// " +
		strings.Repeat("x", 100) + " gone.go\n"
	return files
}

func TestCommentsSound(t *testing.T) {
	tree := planted(t, talking())
	if wide := tree.WideComments(); len(wide) > 0 {
		t.Errorf("sound comments are wide at %v", wide)
	}
	if problems, err := tree.Mentions(); err != nil || len(problems) > 0 {
		t.Errorf("sound mentions give %q, error %v", problems, err)
	}
}

// TestCommentsWidePlanted plants one line wider than 100 columns, of each kind: it is reported with
// its width.
func TestCommentsWidePlanted(t *testing.T) {
	for text, columns := range map[string]int{
		"// " + strings.Repeat("x", 98):                                                  101,
		"// " + strings.Repeat("ß", 98):                                                  101,
		"\t// " + strings.Repeat("x", 94):                                                101,
		"var x = 1 // " + strings.Repeat("x", 88):                                        101,
		"/* short\n" + strings.Repeat("x", 101) + "\n*/":                                 101,
		"// see https://example.org/" + strings.Repeat("x", 74):                          101,
		"// TODO: a colon that follows a word is no directive" + strings.Repeat("x", 49): 101,
	} {
		files := talking()
		files["left/left.go"] = "package left\n\n" + text + "\n"
		wide := planted(t, files).WideComments()
		if len(wide) != 1 || wide[0].Folder != "left" || wide[0].Columns != columns {
			t.Errorf("%q: wide lines %v; want one of %d columns", text, wide, columns)
		}
	}
}

// TestCommentsMentionsPlanted plants names of things that do not exist.
func TestCommentsMentionsPlanted(t *testing.T) {
	for file, cases := range map[string]map[string]string{
		"left/left.go": {
			"right.go":                 "left/left.go:3: there is no file right.go in this folder",
			"inner.go, left.go":        "left/left.go:3: there is no file inner.go in this folder",
			"left/gone.go":             "left/left.go:3: there is no file left/gone.go",
			"runtime/no_such_thing.go": "left/left.go:3: there is no file runtime/no_such_thing.go",
			"g…_test.go":               "left/left.go:3: there is no file g…_test.go in this folder",
			"(gone.go)":                "left/left.go:3: there is no file gone.go in this folder",
			"TestGone":                 "left/left.go:3: there is no TestGone",
			"TestDo":                   "left/left.go:3: there is no TestDo",
			"TestG…":                   "left/left.go:3: there is no TestG…",
			"BenchmarkGone, TestDoor":  "left/left.go:3: there is no BenchmarkGone",
			"FuzzGone":                 "left/left.go:3: there is no FuzzGone",
			"ExampleGone":              "left/left.go:3: there is no ExampleGone",
			"ADR 8":                    "left/left.go:3: there is no decision 8 in docs/adr",
			"docs/adr/0007 and 0009":   "left/left.go:3: there is no decision 0009 in docs/adr",
			"docs/adr/0007-windows.md": "left/left.go:3: decision 0007 is in another file than 0007-windows.md",
		},
		"README.md": {
			"gone.go":                          "README.md:3: there is no file gone.go",
			"`right/inner.go`":                 "README.md:3: there is no file right/inner.go",
			"TestGone":                         "README.md:3: there is no TestGone",
			"[x](docs/gone.md)":                "README.md:3: the link leads to docs/gone.md, which is not there",
			"[x](#gone)":                       "README.md:3: the link leads to a heading #gone, which README.md does not have",
			"[x](docs/adr/0007-doors.md#shut)": "README.md:3: the link leads to a heading #shut, which docs/adr/0007-doors.md does not have",
		},
		"docs/adr/0007-doors.md": {
			"ADR 8": "docs/adr/0007-doors.md:3: there is no decision 8 in docs/adr",
		},
	} {
		for text, want := range cases {
			files := talking()
			if strings.HasSuffix(file, ".go") {
				files[file] = "package left\n\n// x " + text + " x\n"
			} else {
				files[file] = "x\n\nx " + text + " x\n\n## Who, and *how*: `open`\n"
			}
			problems, err := planted(t, files).Mentions()
			if err != nil || !slices.Equal(problems, []string{want}) {
				t.Errorf("%q: reported %q, error %v; want %q", text, problems, err, want)
			}
		}
	}
}

// TestCommentsRatchet: a table fails for greater and for smaller counts, and grows only by hand.
func TestCommentsRatchet(t *testing.T) {
	root := write(t, map[string]string{"t.txt": "# The head\n# stays.\n\n3 a\n2 b c\n"})
	file := filepath.Join(root, "t.txt")
	r, err := archtest.ReadRatchet(file)
	if err != nil {
		t.Fatal(err)
	}
	if problems := r.Compare(archtest.Ratchet{"a": 3, "b c": 2}); len(problems) > 0 {
		t.Errorf("what is allowed gives %q", problems)
	}
	for _, now := range []archtest.Ratchet{{"a": 4, "b c": 2}, {"a": 2, "b c": 2}, {"a": 3}, {"a": 3, "b c": 2, "d": 1}} {
		if problems := r.Compare(now); len(problems) != 1 {
			t.Errorf("%v gives %q, want one problem", now, problems)
		}
	}
	if err := r.Redraw(file, archtest.Ratchet{"a": 6}); err == nil {
		t.Error("a table was redrawn with a greater sum")
	}
	if err := r.Redraw(file, archtest.Ratchet{"d": 5}); err != nil {
		t.Error(err)
	}
	if r, err = archtest.ReadRatchet(file); err != nil || len(r) != 1 || r["d"] != 5 {
		t.Errorf("read again: %v, %v", r, err)
	}
}

// TestCommentsRatchetUnreadable: a table with a mistake is an error.
func TestCommentsRatchetUnreadable(t *testing.T) {
	for _, text := range []string{"a 3\n", "3\n", "0 a\n", "1 a\n2 a\n"} {
		file := filepath.Join(write(t, map[string]string{"t.txt": text}), "t.txt")
		if r, err := archtest.ReadRatchet(file); err == nil {
			t.Errorf("%q was read as %v", text, r)
		}
	}
}
