package archtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/archtest"
)

// TestArchitecture compares ARCHITECTURE.md with the source of this repository.
func TestArchitecture(t *testing.T) {
	document, err := archtest.Read("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	problems, err := house(t).Check(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

// machine is the build constraint of files that rest on Go's internals.
const machine = "//go:build !freerun_portable && !go1.27\n\n"

// sound returns a small repository that violates no rule. Each case of TestPlanted changes one
// file.
func sound() map[string]string {
	return map[string]string{
		"ARCHITECTURE.md": strings.Join([]string{
			"# A house",
			"| place | module | purpose |",
			"| --- | --- | --- |",
			"| `tool` | own | a program |",
			"| `aid` | root | of tests |",
			"| `.` | root | what one imports |",
			"| `left` `right` `later` (planned) | root | beside each other |",
			"| `internal/…` | root | the rest |",
			"",
			"| place | module | of another table |",
			"",
			"- Test support: `aid`, `internal/check`, `internal/drill`. The next line is",
			"  not read: `right`.",
		}, "\n"),
		"go.work":                   "go 1.26\n\nuse (\n\t. // the root\n\t./tool\n)\n",
		"go.mod":                    "module example.org/house\n\ngo 1.26\n",
		"house.go":                  "package house\n\nimport (\n\t_ \"fmt\"\n\t_ \"example.org/house/left\"\n)\n",
		"env.go":                    "package house\n\ntype env struct{ sim *simulation }\n\ntype simulation struct{}\n\nfunc (e env) now(int) bool { return e.sim != nil }\n",
		"runtime.go":                "package house\n\ntype Runtime struct{ env env }\n\ntype settings struct{ schedule int }\n\nconst bySchedule = 1\n\nfunc (rt *Runtime) now() bool { return rt.env.now(1) }\n",
		"house_test.go":             "package house\n\nimport _ \"example.net/tests\"\n",
		"left/left.go":              "package left\n\nimport _ \"example.org/house/left/inner\"\n",
		"left/inner/inner.go":       "package inner\n\nimport _ \"example.org/house/internal/g\"\n",
		"right/right.go":            "package right\n",
		"left/outside_test.go":      "package left_test\n\nimport _ \"example.org/house/aid\"\n",
		"aid/aid.go":                "package aid\n\nimport _ \"example.org/house/right\"\n",
		"tool/go.mod":               "module example.org/house/tool\n",
		"tool/main.go":              "package main\n\nimport (\n\t_ \"example.net/anything\"\n\t_ \"example.org/house\"\n\t_ \"example.org/house/right\"\n)\n",
		"internal/g/g.go":           "package g\n\nimport _ \"example.org/house/internal/h\"\n",
		"internal/g/g_amd64.s":      machine + "// assembly\n",
		"internal/g/g_arm64.s":      machine + "// assembly\n",
		"internal/h/h.go":           machine + "package h\n\nimport _ \"unsafe\"\n\n//go:linkname f runtime.f\nfunc f()\n",
		"internal/h/text.go":        "package h\n\nconst text = `\n//go:linkname in a text is none\n`\n",
		"internal/check/c.go":       "package check\n\nimport (\n\t_ \"testing\"\n\t_ \"example.net/tests\"\n\t_ \"example.org/house/internal/drill/inner\"\n)\n",
		"internal/drill/d.go":       "package drill\n\nimport _ \"example.org/house/internal/g\"\n",
		"internal/drill/inner/i.go": "package inner\n\nimport _ \"testing/quick\"\n",
		"left/left_test.go":         "package left\n\nimport _ \"example.org/house/internal/check\"\n",
		"tool/t_test.go":            "package main\n\nimport _ \"example.org/house/internal/drill\"\n",
		"left/testdata/bad.go":      "package bad\n\nimport _ \"example.org/house/right\"\n",
		".hidden/bad.go":            "package bad\n\nimport _ \"example.net/anything\"\n",
		"long_test.go":              "package house\n" + strings.Repeat("\n", 1000),
	}
}

var readHouse = sync.OnceValues(func() (*archtest.Tree, error) { return archtest.ReadTree("../..") })

// house returns the source of this repository, which is read once for all tests.
func house(t *testing.T) *archtest.Tree {
	t.Helper()
	tree, err := readHouse()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// planted writes a repository and reads it.
func planted(t *testing.T, files map[string]string) *archtest.Tree {
	t.Helper()
	tree, err := archtest.ReadTree(write(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// write writes files below a new folder and returns the folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// check writes a repository and returns its problems.
func check(t *testing.T, files map[string]string) ([]string, error) {
	t.Helper()
	root := write(t, files)
	document, err := archtest.Read(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		return nil, err
	}
	tree, err := archtest.ReadTree(root)
	if err != nil {
		return nil, err
	}
	return tree.Check(document)
}

func TestSound(t *testing.T) {
	problems, err := check(t, sound())
	if err != nil || len(problems) > 0 {
		t.Errorf("a sound repository gives %q and error %v", problems, err)
	}
}

// TestPlanted changes one file of the sound repository, so that it violates a rule. The listed
// problems must be reported, and no others.
func TestPlanted(t *testing.T) {
	importing := func(packageName, target string) string {
		return fmt.Sprintf("package %s\n\nimport _ %q\n", packageName, target)
	}
	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"upward": {
			file: "left/left.go",
			text: importing("left", "example.org/house"),
			want: []string{
				"left/left.go:3: the import of example.org/house points upward: the root folder is a layer above left",
			},
		},
		"upward from internal": {
			file: "internal/h/x.go",
			text: importing("h", "example.org/house/right"),
			want: []string{
				"internal/h/x.go:3: the import of example.org/house/right points upward: right is a layer above internal",
			},
		},
		"upward in a test": {
			file: "internal/h/h_test.go",
			text: importing("h_test", "example.org/house/left"),
			want: []string{
				"internal/h/h_test.go:3: the import of example.org/house/left points upward: left is a layer above internal",
			},
		},
		"upward in a test of the package itself": {
			file: "right/inside_test.go",
			text: importing("right", "example.org/house/aid"),
			want: []string{
				"right/inside_test.go:3: the import of example.org/house/aid points upward: aid is a layer above right",
			},
		},
		"sideways": {
			file: "left/inner/x.go",
			text: importing("inner", "example.org/house/right"),
			want: []string{
				"left/inner/x.go:3: the import of example.org/house/right points sideways: right and left are places of one layer",
			},
		},
		"dependency": {
			file: "right/right.go",
			text: importing("right", "example.net/x"),
			want: []string{
				"right/right.go:3: imports example.net/x; the root module has no dependencies outside the standard library",
			},
		},
		"module as dependency": {
			file: "house.go",
			text: importing("house", "example.org/house/tool"),
			want: []string{
				"house.go:3: imports example.org/house/tool, a module of its own; the root module has no dependencies",
				"house.go:3: the import of example.org/house/tool points upward: tool is a layer above the root folder",
			},
		},
		"test support in what is no test": {
			file: "house.go",
			text: importing("house", "example.org/house/internal/check"),
			want: []string{
				"house.go:3: imports example.org/house/internal/check, which is test support; only tests and test support may",
			},
		},
		"below test support in what is no test": {
			file: "internal/g/x.go",
			text: importing("g", "example.org/house/internal/drill/inner"),
			want: []string{
				"internal/g/x.go:3: imports example.org/house/internal/drill/inner, which is test support; only tests and test support may",
			},
		},
		"test support in another module": {
			file: "tool/main.go",
			text: importing("main", "example.org/house/internal/drill"),
			want: []string{
				"tool/main.go:3: imports example.org/house/internal/drill, which is test support; only tests and test support may",
			},
		},
		"testing in what is no test": {
			file: "right/right.go",
			text: importing("right", "testing"),
			want: []string{
				"right/right.go:3: imports testing; only tests and test support may",
			},
		},
		"below testing in what is no test": {
			file: "right/right.go",
			text: importing("right", "testing/synctest"),
			want: []string{
				"right/right.go:3: imports testing/synctest; only tests and test support may",
			},
		},
		"name like test support": {
			file: "internal/drilled/d.go",
			text: importing("drilled", "example.net/tests"),
			want: []string{
				"internal/drilled/d.go:3: imports example.net/tests; the root module has no dependencies outside the standard library",
			},
		},
		"upward from test support": {
			file: "internal/check/x.go",
			text: importing("check", "example.org/house/left"),
			want: []string{
				"internal/check/x.go:3: the import of example.org/house/left points upward: left is a layer above internal",
			},
		},
		"cgo": {
			file: "house.go",
			text: importing("house", "C"),
			want: []string{
				"house.go:3: uses cgo; the root module is Go alone",
			},
		},
		"no layer": {
			file: "attic/attic.go",
			text: "package attic\n",
			want: []string{
				"attic/attic.go: the package attic is in no layer; give its folder a row in the table",
			},
		},
		"import of no layer": {
			file: "house.go",
			text: importing("house", "example.org/house/attic"),
			want: []string{
				"house.go:3: imports example.org/house/attic, which is in no layer",
			},
		},
		"assembly outside": {
			file: "left/left_amd64.s",
			text: machine,
			want: []string{
				"left/left_amd64.s: assembly may be used below internal only",
			},
		},
		"assembly twice": {
			file: "internal/g/more_amd64.s",
			text: machine,
			want: []string{
				"internal/g/more_amd64.s: assembly is in internal/g/g_amd64.s already; a package has one file for it (for assembly, one each architecture)",
			},
		},
		"linkname outside": {
			file: "house.go",
			text: machine + "package house\n\nimport _ \"unsafe\"\n\n//go:linkname f runtime.f\nfunc f()\n",
			want: []string{
				"house.go: go:linkname may be used below internal only",
			},
		},
		"linkname twice": {
			file: "internal/h/i.go",
			text: machine + "package h\n\n//go:linkname g runtime.g\nfunc g()\n",
			want: []string{
				"internal/h/i.go: go:linkname is in internal/h/h.go already; a package has one file for it (for assembly, one each architecture)",
			},
		},
		"assembly in the portable build": {
			file: "internal/g/g_amd64.s",
			text: "// assembly\n",
			want: []string{
				"internal/g/g_amd64.s: assembly and go:linkname need a build constraint that leaves them out with freerun_portable",
			},
		},
		"linkname in the portable build": {
			file: "internal/h/h.go",
			text: "//go:build freerun_portable || go1.27 || amd64\n\npackage h\n\n//go:linkname f runtime.f\nfunc f()\n",
			want: []string{
				"internal/h/h.go: assembly and go:linkname need a build constraint that leaves them out with freerun_portable",
			},
		},
		"a newer Go forgotten": {
			file: "left/left.go",
			text: "//go:build amd64 && !freerun_portable\n\npackage left\n",
			want: []string{
				"left/left.go: its build constraint must say the same of freerun_portable and go1.27: amd64 && !freerun_portable",
			},
		},
		"a newer Go, and the tag forgotten": {
			file: "left/left.go",
			text: "//go:build amd64 || go1.27\n\npackage left\n",
			want: []string{
				"left/left.go: its build constraint must say the same of freerun_portable and go1.27: amd64 || go1.27",
			},
		},
		"a look at the simulation": {
			file: "runtime.go",
			text: "package house\n\ntype Runtime struct{ env env }\n\nfunc (rt *Runtime) live() bool { return rt.env.sim == nil }\n",
			want: []string{
				"runtime.go:5: uses sim; only the files env*.go ask whether a runtime is simulated",
			},
		},
		"a look at the schedule": {
			file: "runtime.go",
			text: "package house\n\ntype settings struct{ schedule any }\n\nfunc live(s *settings, bits int) bool {\n\treturn s.schedule == nil\n}\n\nfunc dead(p interface{ Driven() bool }, bits int) bool {\n\treturn p.Driven() || bits&bySchedule != 0\n}\n",
			want: []string{
				"runtime.go:10: uses Driven; only the files env*.go ask whether a runtime is simulated",
				"runtime.go:10: uses bySchedule; only the files env*.go ask whether a runtime is simulated",
				"runtime.go:6: uses schedule; only the files env*.go ask whether a runtime is simulated",
			},
		},
		"an env compared": {
			file: "runtime.go",
			text: "package house\n\ntype Runtime struct{ env env }\n\nfunc (rt *Runtime) live() bool { return rt.env == (env{}) }\n",
			want: []string{
				"runtime.go:5: compares an env; only the files env*.go ask whether a runtime is simulated",
			},
		},
		"an env that answers": {
			file: "env_sim.go",
			text: "package house\n\nfunc (e env) simulated() bool { return e.sim != nil }\n",
			want: []string{
				"env_sim.go:3: env.simulated only says whether a runtime is simulated; give env a method that does what differs",
			},
		},
		"long file": {
			file: "right/long.go",
			text: "package right\n" + strings.Repeat("\n", 400),
			want: []string{
				"right/long.go: has 401 lines; a file that is not a test has at most 400",
			},
		},
		"planned place is here": {
			file: "later/later.go",
			text: "package later\n",
			want: []string{
				"later: the table calls it planned, but the folder exists",
			},
		},
		"module not in go.work": {
			file: "go.work",
			text: "go 1.26\n\nuse .\n",
			want: []string{
				"tool: go.work does not use this module, so go test work leaves it out",
			},
		},
		"module of its own": {
			file: "right/go.mod",
			text: "module example.org/house/right\n",
			want: []string{
				"right: the table makes it part of the root module, but it has a go.mod or lies below one",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := sound()
			files[c.file] = c.text
			problems, err := check(t, files)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(problems, c.want) {
				t.Errorf("reported\n\t%s\nwant\n\t%s", strings.Join(problems, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		})
	}
}

// TestMissing takes a file out of the sound repository.
func TestMissing(t *testing.T) {
	for file, want := range map[string]string{
		"internal/check/c.go": "internal/check: it is listed as test support, but there is no such folder",
		"right/right.go":      "right: the table names it, but there is no such folder; mark it (planned) or take it out",
		"tool/go.mod":         "tool: the table makes it a module of its own, but it has no go.mod",
	} {
		files := sound()
		delete(files, file)
		problems, err := check(t, files)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(problems, want) {
			t.Errorf("without %s it reported %q, want %q among them", file, problems, want)
		}
	}
}

// TestUnreadable: source that cannot be checked is an error and never passes as sound.
func TestUnreadable(t *testing.T) {
	head := "| place | module | purpose |\n| --- | --- | --- |\n"
	table := head + "| `.` | root | x |\n"
	for name, c := range map[string]struct{ file, text, want string }{
		"no table":         {"ARCHITECTURE.md", "# Nothing here\n", "has no table"},
		"empty table":      {"ARCHITECTURE.md", head, "the table has no rows"},
		"too few cells":    {"ARCHITECTURE.md", head + "| `.` | root |\n", "ARCHITECTURE.md:3: a row has 3 cells, this one 2"},
		"unknown module":   {"ARCHITECTURE.md", head + "| `.` | shared | x |\n", "own or root, not \"shared\""},
		"no place":         {"ARCHITECTURE.md", head + "| left | root | x |\n", "in backquotes"},
		"place twice":      {"ARCHITECTURE.md", head + "| `.` | root | x |\n| `left` `.` | root | x |\n", "ARCHITECTURE.md:4: . is in the table twice"},
		"no test support":  {"ARCHITECTURE.md", table, "no line that begins with \"- Test support: \""},
		"empty list":       {"ARCHITECTURE.md", table + "- Test support: none\n", "lists folders in backquotes"},
		"two lists":        {"ARCHITECTURE.md", table + "- Test support: `a`\n- Test support: `b`\n", "ARCHITECTURE.md:5: a second list of test support"},
		"broken source":    {"house.go", "package\n", "house.go:1"},
		"no module at all": {"go.mod", "", "has no go.mod with a module line"},
	} {
		t.Run(name, func(t *testing.T) {
			files := sound()
			files[c.file] = c.text
			if _, err := check(t, files); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
