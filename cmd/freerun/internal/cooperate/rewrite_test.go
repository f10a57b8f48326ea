package cooperate

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/tools/go/packages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the golden files anew")

// standIn has the parts of package activity that the sources here use, so that their types can be
// checked without the package.
const standIn = `package activity

import "context"

type Activity struct{ context.Context }

type Starter any

func Go(where Starter, fn func(a *Activity)) *Activity { return nil }
func Of(ctx context.Context) *Activity { return nil }
func (a *Activity) Check(n int32)         {}
func (a *Activity) CheckInserted(n int32) {}
func (a *Activity) Yield() {}
func (a *Activity) Name() string { return "" }
func (a *Activity) Wait(ctx context.Context) error { return nil }

var Running *Activity
`

// standard returns the packages of the standard library, by path.
var standard = sync.OnceValues(func() (map[string]*types.Package, error) {
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, "std")
	byPath := make(map[string]*types.Package, len(found))
	for _, p := range found {
		byPath[strings.TrimPrefix(p.PkgPath, "vendor/")] = p.Types
	}
	return byPath, err
})

// world checks the types of sources that import package activity and the standard library.
type world struct {
	fset     *token.FileSet
	standard map[string]*types.Package
	activity *types.Package
	exempt   *types.Package
}

func newWorld(t testing.TB) *world {
	t.Helper()
	std, err := standard()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{fset: token.NewFileSet(), standard: std}
	p, err := w.check(ActivityPath, map[string]string{"activity.go": standIn})
	if err != nil {
		t.Fatal(err)
	}
	w.activity = p.Types
	if p, err = w.check(ExemptPath, map[string]string{"note.go": "package uncooperative\n\nfunc Note(names ...string) struct{} { return struct{}{} }\n"}); err != nil {
		t.Fatal(err)
	}
	w.exempt = p.Types
	return w
}

func (w *world) Import(path string) (*types.Package, error) {
	switch p := w.standard[path]; {
	case path == ActivityPath:
		return w.activity, nil
	case path == ExemptPath:
		return w.exempt, nil
	case path == "unsafe":
		return types.Unsafe, nil
	case p == nil:
		return nil, fmt.Errorf("there is no %s", path)
	default:
		return p, nil
	}
}

// again returns a world with the same packages and no files.
func (w *world) again() *world { return &world{token.NewFileSet(), w.standard, w.activity, w.exempt} }

// parse parses the files of a package.
func (w *world) parse(files map[string]string) (*Package, error) {
	p := &Package{
		Fset: w.fset, Sizes: types.SizesFor("gc", "amd64"),
		Info: newInfo(), Path: "example.org/p",
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(w.fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.Files, p.Sources = append(p.Files, f), append(p.Sources, []byte(files[name]))
	}
	return p, nil
}

// check parses a package and checks its types. The error is the first one.
func (w *world) check(path string, files map[string]string) (*Package, error) {
	p, err := w.parse(files)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: w, FakeImportC: true, Sizes: p.Sizes, GoVersion: "go1.26"}
	p.Types, err = config.Check(path, w.fset, p.Files, p.Info)
	return p, err
}

// rewritten rewrites a file, with checks at the heads of functions or without, and checks that the
// result compiles.
func rewritten(t *testing.T, w *world, name, text string, preempted bool) string {
	t.Helper()
	p, err := w.check("example.org/p", map[string]string{name: text})
	if err != nil {
		t.Fatal(err)
	}
	p.Preempted = preempted
	texts, err := p.Rewrite()
	if err != nil {
		t.Fatal(err)
	}
	if texts[0] == nil {
		return text
	}
	after := string(texts[0])
	if _, err := w.check("example.org/p", map[string]string{name: after}); err != nil {
		t.Errorf("what came out does not compile: %v\n%s", err, after)
	}
	return after
}

// TestGolden compares rewritten files with testdata/*.golden, line by line.
func TestGolden(t *testing.T) {
	w := newWorld(t)
	names, err := filepath.Glob("testdata/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			stem := strings.TrimSuffix(name, ".go")
			compare(t, stem+".golden", rewritten(t, w, name, string(text), false))
			compare(t, stem+".preempted.golden", rewritten(t, w, name, string(text), true))
		})
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
