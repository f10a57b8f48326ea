package cooperate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pollStandIn has the part of package poll that insertions use.
const pollStandIn = "package poll\n\nfunc Here() {}\n"

// withoutTypes parses the files of a package as those of other modules are parsed.
func withoutTypes(t testing.TB, names map[string]string, files ...string) *Package {
	t.Helper()
	p := &Package{Fset: token.NewFileSet(), Polls: true, Names: names}
	for i := 0; i < len(files); i += 2 {
		f, err := parser.ParseFile(p.Fset, files[i], files[i+1], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		p.Files, p.Sources = append(p.Files, f), append(p.Sources, []byte(files[i+1]))
	}
	return p
}

// TestPollsGolden compares files with polls with testdata/polls/*.golden, and with *.syntax for
// files whose types are not known. What comes out compiles.
func TestPollsGolden(t *testing.T) {
	w := newWorld(t)
	names, err := filepath.Glob("testdata/polls/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.check("example.org/p", map[string]string{name: string(text)})
		if err != nil {
			t.Fatal(err)
		}
		p.Polls = true
		typed, err := p.Rewrite()
		if err != nil {
			t.Fatal(err)
		}
		imports := map[string]string{"example.org/odd-name": "odd"}
		for _, s := range p.Files[0].Imports {
			path := strings.Trim(s.Path.Value, `"`)
			imports[path] = filepath.Base(path)
		}
		syntax, err := withoutTypes(t, imports, name, string(text)).Rewrite()
		if err != nil {
			t.Fatal(err)
		}
		for suffix, got := range map[string][]byte{"golden": typed[0], "syntax": syntax[0]} {
			if got == nil {
				got = text
			}
			if _, err := w.check("example.org/p", map[string]string{name: string(got)}); err != nil {
				t.Errorf("%s: what came out does not compile: %v\n%s", suffix, err, got)
			}
			compare(t, strings.TrimSuffix(name, "go")+suffix, string(got))
		}
	}
}

// compare compares a text with a golden file, line by line.
func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	if len(gotLines) != len(wantLines) {
		t.Fatalf("%s: %d lines, want %d", golden, len(gotLines), len(wantLines))
	}
	for i := range gotLines {
		if gotLines[i] != wantLines[i] {
			t.Errorf("%s, line %d:\n got %s\nwant %s", golden, i+1, gotLines[i], wantLines[i])
		}
	}
}

// TestFreshName: the import has a name that no file of the package has, in any place.
func TestFreshName(t *testing.T) {
	p := withoutTypes(t, nil,
		"a.go", "package p\n\nfunc f(n int) {\n\tfor n > 0 {\n\t\tn--\n\t}\n}\n",
		"b.go", "package p\n\nvar freerunPoll int\n",
		"c.go", "package p\n\nfunc g(freerunPoll_ int) {\n\tfor freerunPoll_ > 0 {\n\t\tfreerunPoll_--\n\t}\n}\n")
	texts, err := p.Rewrite()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2} {
		if !strings.Contains(string(texts[i]), "package p; import freerunPoll__ \""+PollPath+"\"; import _ \"sync/atomic\"\n") || !strings.Contains(string(texts[i]), "{ freerunPoll__.Here();\n") {
			t.Errorf("%s", texts[i])
		}
	}
	if texts[1] != nil {
		t.Errorf("a file without polls became %s", texts[1])
	}
}

// TestWithoutPolls: no polls are in files that use cgo. Other files of the package have some.
func TestWithoutPolls(t *testing.T) {
	const loop = "\nfunc f(n int) {\n\tfor n > 0 {\n\t\tn--\n\t}\n}\n"
	texts, err := withoutTypes(t, nil,
		"a.go", "package p\n\nimport \"C\"\n"+loop,
		"b.go", "package p\n\nimport _ \"runtime/cgo\"\n"+strings.Replace(loop, "f(", "g(", 1),
		"c.go", "package p\n"+strings.Replace(loop, "f(", "h(", 1)).Rewrite()
	if err != nil {
		t.Fatal(err)
	}
	if texts[0] != nil || texts[1] != nil || !strings.Contains(string(texts[2]), ".Here();") {
		t.Errorf("%s%s%s", texts[0], texts[1], texts[2])
	}
}

// TestPackageInSeveralFiles: names that other files of a package declare count, too.
func TestPackageInSeveralFiles(t *testing.T) {
	p := withoutTypes(t, nil,
		"a.go", "package p\n\nfunc a() { b() }\n\nfunc leaf() { other(); number(1) }\n\nfunc variable() { hook() }\n\nfunc method(x T) { x.M() }\n\nfunc fromDot() { Dot() }\n",
		"b.go", "package p\n\nfunc b() { a() }\n\nfunc other() {}\n\ntype number int\n\nvar hook func()\n\ntype T struct{}\n\nfunc (T) M() {}\n")
	heads := p.pollHeads()
	want := map[string]bool{"a": true, "b": true, "variable": true, "method": true, "fromDot": true}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && heads[d] != want[d.Name.Name] {
				t.Errorf("%s: %v", d.Name.Name, heads[d])
			}
		}
	}
}
