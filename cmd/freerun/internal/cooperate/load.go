package cooperate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Request names the packages to compile, in the terms of the go command.
type Request struct {
	Dir      string // the folder in which the go command runs; "" is the current folder
	Env      []string
	Flags    []string // build flags
	Patterns []string
	Tests    bool // whether to include the tests of the packages
	// Overlay is the user's overlay: by path, the file to read instead; "" for a file to leave out.
	Overlay map[string]string
}

// Result is the result of [Rewrite].
type Result struct {
	// Texts are the rewritten files, by their paths.
	Texts map[string][]byte
	// Skipped has the first error of each package that gets no checks because it has errors. The go
	// command refuses these packages too, in its own words.
	Skipped []error
	// Blockhook is the folder of package internal/sys/blockhook of freerun, if the program has it.
	Blockhook string
}

// module is the module of freerun itself, which is not rewritten, except for its programs.
const module = "github.com/freerun-go/freerun"

// Rewrite loads the named packages and their imports, and rewrites those of the main modules. Of
// the other packages it compiles only those that the rewritten ones import, which the go command
// needs anyway. An error is a fault of the go command, or a directive in the wrong place. The go
// command itself reports packages that do not exist or do not compile.
func Rewrite(q Request) (*Result, error) {
	l := loader{
		Request: q, fset: token.NewFileSet(),
		checked: make(map[string]*types.Package),
		texts:   make(map[string][]byte),
	}
	roots, err := packages.Load(l.config(packages.NeedName|packages.NeedFiles|packages.NeedImports|packages.NeedDeps|packages.NeedModule|packages.NeedTypesSizes), q.Patterns...)
	if err != nil {
		return nil, fmt.Errorf("the go command does not list the packages: %w", err)
	}
	result := &Result{Texts: l.texts, Blockhook: folderOf(blockhook, roots)}
	ours := l.choose(roots)
	if len(ours) == 0 {
		return result, nil
	}
	if err := l.loadOthers(ours); err != nil {
		return nil, err
	}
	for _, p := range ours {
		if err := l.rewrite(p); err != nil {
			return nil, err
		}
	}
	result.Skipped = l.skipped
	return result, nil
}

// blockhook is the package through which activities hear that they are about to block.
const blockhook = module + "/internal/sys/blockhook"

// folderOf returns the folder of a package that a program has; "" if it has not.
func folderOf(path string, roots []*packages.Package) (folder string) {
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.PkgPath == path && len(p.GoFiles) > 0 {
			folder = filepath.Dir(p.GoFiles[0])
		}
	})
	return folder
}

type loader struct {
	Request
	fset    *token.FileSet
	others  map[string]*types.Package // by path, the packages that are not rewritten
	checked map[string]*types.Package // by ID, the packages that are rewritten
	texts   map[string][]byte
	skipped []error
}

func (l *loader) config(mode packages.LoadMode) *packages.Config {
	return &packages.Config{Mode: mode, Dir: l.Dir, Env: l.Env, BuildFlags: l.Flags, Tests: l.Tests, Fset: l.fset}
}

// choose returns the packages to rewrite, each after its imports: the packages of the main modules
// that can know the type Activity.
func (l *loader) choose(roots []*packages.Package) (ours []*packages.Package) {
	knows := make(map[*packages.Package]bool)
	packages.Visit(roots, nil, func(p *packages.Package) {
		knows[p] = p.PkgPath == ActivityPath
		for _, imported := range p.Imports {
			knows[p] = knows[p] || knows[imported]
		}
		if knows[p] && isOurs(p) {
			ours = append(ours, p)
		}
	})
	return ours
}

// isOurs reports whether a package is the user's own. The program that runs the tests of a package
// is the go command's.
func isOurs(p *packages.Package) bool {
	switch {
	case strings.HasSuffix(p.ID, ".test"):
		return false
	case p.Module == nil:
		return p.PkgPath == "command-line-arguments"
	case p.Module.Path == module && !strings.HasPrefix(p.PkgPath, module+"/programs/"):
		return false
	}
	return p.Module.Main
}

// loadOthers loads the types of the imports that are not rewritten, from the compiler's output.
func (l *loader) loadOthers(ours []*packages.Package) error {
	var paths []string
	for _, p := range ours {
		for _, imported := range p.Imports {
			if !slices.Contains(ours, imported) && imported.PkgPath != "unsafe" && imported.PkgPath != "C" {
				paths = append(paths, imported.PkgPath)
			}
		}
	}
	slices.Sort(paths)
	config := l.config(packages.NeedName | packages.NeedTypes)
	config.Tests = false
	found, err := packages.Load(config, slices.Compact(paths)...)
	if err != nil {
		return fmt.Errorf("the go command does not list the packages: %w", err)
	}
	l.others = make(map[string]*types.Package)
	for _, p := range found {
		if p.Types != nil && p.Types.Complete() {
			l.others[p.PkgPath] = p.Types
		}
	}
	return nil
}

// rewrite checks the types of a package and rewrites its files. A file can be part of several
// packages, as when a package is compiled once more for its tests. It is rewritten once.
func (l *loader) rewrite(p *packages.Package) error {
	u := Package{
		Fset: l.fset, Sizes: p.TypesSizes,
		Info: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
			Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection), Scopes: make(map[ast.Node]*types.Scope),
		},
	}
	var failure error
	note := func(err error) {
		if failure == nil {
			failure = err
		}
	}
	var names []string
	for _, name := range p.GoFiles {
		source, err := l.read(name)
		if err != nil {
			note(err)
			continue
		}
		file, err := parser.ParseFile(l.fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			note(err)
			continue
		}
		names, u.Files, u.Sources = append(names, name), append(u.Files, file), append(u.Sources, source)
	}
	config := types.Config{Importer: imports{l, p}, Error: note, FakeImportC: true, Sizes: p.TypesSizes}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	u.Types, _ = config.Check(p.PkgPath, l.fset, u.Files, u.Info)
	l.checked[p.ID] = u.Types
	if failure != nil && !usesC(u.Files) { // the names of package C are unknown here
		l.skipped = append(l.skipped, fmt.Errorf("%s: %w", p.PkgPath, failure))
		return nil
	}
	texts, err := u.Rewrite()
	if err != nil {
		return err
	}
	for i, text := range texts {
		if text != nil {
			l.texts[names[i]] = text
		}
	}
	return nil
}

// usesC reports whether one of the files uses cgo.
func usesC(files []*ast.File) bool {
	return slices.ContainsFunc(files, func(f *ast.File) bool {
		return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
	})
}

// read reads a file, or the file that the user's overlay has in its place.
func (l *loader) read(name string) ([]byte, error) {
	if instead, ok := l.Overlay[name]; ok {
		name = instead
	}
	return os.ReadFile(name)
}

// imports is the importer for one package.
type imports struct {
	*loader
	p *packages.Package
}

func (i imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	imported := i.p.Imports[path]
	if imported == nil {
		return nil, fmt.Errorf("%s is not imported", path)
	}
	if t := i.checked[imported.ID]; t != nil {
		return t, nil
	}
	if t := i.others[imported.PkgPath]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%s has no types", path)
}
