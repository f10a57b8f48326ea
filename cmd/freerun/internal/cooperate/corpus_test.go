package cooperate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// identifier is a name with the place where the compiler will say it is.
type identifier struct {
	name         string
	line, column int
}

// identifiers returns the identifiers of a file besides those of polls.
func identifiers(t *testing.T, name string, text []byte) (all []identifier) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && strings.HasPrefix(x.Name, "freerunPoll") {
				return false
			}
		case *ast.ImportSpec:
			return n.Name == nil || !strings.HasPrefix(n.Name.Name, "freerunPoll") && !(n.Name.Name == "_" && n.Path.Value == `"sync/atomic"`)
		case *ast.Ident:
			p := fset.Position(n.Pos())
			all = append(all, identifier{n.Name, p.Line, p.Column})
		}
		return true
	})
	return all
}

// checkPolls rewrites a package with polls, without types and with them. What comes out compiles,
// and without types every identifier has the place that it had. It returns the number of polls.
func checkPolls(t *testing.T, p *packages.Package, importer types.Importer) (syntax, typed int) {
	var files []string
	names := make(map[string]string)
	for path, imported := range p.Imports {
		names[path] = imported.Name
	}
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "import \"C\"") {
			return 0, 0
		}
		files = append(files, name, string(text))
	}
	check := func(texts [][]byte) (*Package, error) {
		u := &Package{
			Fset: token.NewFileSet(), Sizes: p.TypesSizes, Polls: true,
			Info: newInfo(),
		}
		for i, name := range p.GoFiles {
			text := []byte(files[2*i+1])
			if texts != nil && texts[i] != nil {
				text = texts[i]
			}
			f, err := parser.ParseFile(u.Fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			u.Files, u.Sources = append(u.Files, f), append(u.Sources, text)
		}
		config := types.Config{Importer: importer, Sizes: p.TypesSizes}
		if p.Module != nil && p.Module.GoVersion != "" {
			config.GoVersion = "go" + p.Module.GoVersion
		}
		var err error
		u.Types, err = config.Check(p.PkgPath, u.Fset, u.Files, u.Info)
		return u, err
	}
	u, err := check(nil)
	if err != nil { // functions that only the compiler knows
		t.Logf("%s: %v", p.PkgPath, err)
		return 0, 0
	}
	count := func(texts [][]byte) (n int) {
		for _, text := range texts {
			n += strings.Count(string(text), ".Here();")
		}
		return n
	}
	texts, _ := withoutTypes(t, names, files...).Rewrite()
	syntax = count(texts)
	if _, err := check(texts); err != nil {
		t.Errorf("%s without types does not compile: %v", p.PkgPath, err)
	}
	for i, text := range texts {
		if text == nil {
			continue
		}
		was, is := identifiers(t, p.GoFiles[i], []byte(files[2*i+1])), identifiers(t, p.GoFiles[i], text)
		if len(was) != len(is) {
			t.Errorf("%s has %d identifiers, and had %d", p.GoFiles[i], len(is), len(was))
			continue
		}
		for k := range was {
			if was[k] != is[k] {
				t.Errorf("%s: %v was %v", p.GoFiles[i], is[k], was[k])
				break
			}
		}
	}
	if texts, err = u.Rewrite(); err != nil {
		t.Errorf("%s: %v", p.PkgPath, err)
	}
	typed = count(texts)
	if _, err := check(texts); err != nil {
		t.Errorf("%s with types does not compile: %v", p.PkgPath, err)
	}
	return syntax, typed
}

// known is an importer of packages whose types are loaded.
type known struct {
	packages map[string]*types.Package
	imports  map[string]*packages.Package
}

func (k known) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := k.imports[path]; p != nil {
		path = p.PkgPath
	}
	if p := k.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no %s", path)
}

// checkAllPolls checks all packages that the patterns name, and that wanted selects.
func checkAllPolls(t *testing.T, wanted func(*packages.Package) bool, dir string, patterns ...string) (done, syntax, typed int) {
	found, err := packages.Load(&packages.Config{
		Dir:  dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedExportFile,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	poll := types.NewPackage(PollPath, "poll")
	poll.Scope().Insert(types.NewFunc(token.NoPos, poll, "Here", types.NewSignatureType(nil, nil, nil, nil, nil, false)))
	poll.MarkComplete()
	loaded := map[string]*types.Package{PollPath: poll}
	packages.Visit(found, nil, func(p *packages.Package) { loaded[p.PkgPath] = p.Types })
	n := 0
	packages.Visit(found, nil, func(p *packages.Package) {
		if !wanted(p) || p.PkgPath == "unsafe" {
			return
		}
		if n++; n%oneOf != 0 {
			return
		}
		s, ty := checkPolls(t, p, known{loaded, p.Imports})
		if s+ty > 0 {
			done++
		}
		syntax, typed = syntax+s, typed+ty
	})
	t.Logf("%d packages, %d polls without types, %d with types", done, syntax, typed)
	return done, syntax, typed
}

// TestStandardLibraryPolls inserts polls into the standard library.
func TestStandardLibraryPolls(t *testing.T) {
	done, syntax, typed := checkAllPolls(t, func(p *packages.Package) bool { return true }, "", "std")
	if oneOf == 1 && (done < 250 || syntax < 12_000 || typed < 7_000) || done == 0 {
		t.Error("this is too little to show anything")
	}
}

// TestModulePolls inserts polls into the packages of other modules that the modules of this
// repository use. It takes those that are compiled already or can be compiled.
func TestModulePolls(t *testing.T) {
	done, _, _ := checkAllPolls(t, func(p *packages.Package) bool {
		return p.Module != nil && !p.Module.Main && p.Types != nil && p.Types.Complete() && len(p.Errors) == 0
	}, "../../../..", "./cmd/freerun", "./examples/...")
	if done == 0 {
		t.Skip("the module cache has none of them")
	}
}
