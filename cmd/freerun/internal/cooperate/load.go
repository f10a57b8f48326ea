package cooperate

import (
	"bytes"
	"errors"
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
	GoEnv    map[string]string // what `go env` says there; nil asks it
	Flags    []string          // build flags
	Patterns []string
	Tests    bool // whether to include the tests of the packages
	// Overlay is the user's overlay: by path, the file to read instead; "" for a file to leave out.
	Overlay map[string]string
	// Preempted says that Go's runtime preempts activities: then functions have no checks at their
	// heads, only loops have them.
	Preempted bool
	// Keep is a folder for what was rewritten, which is kept for the next time. If it is "" or
	// cannot be written, nothing is kept.
	Keep string
	// Below adds files of Go itself to the result, if it is not nil. It is called before anything
	// is compiled, so that nothing is compiled without them first.
	Below func(*Result) error
}

// Result is the result of [Rewrite].
type Result struct {
	// Texts are the rewritten files, by their paths.
	Texts map[string][]byte
	// Skipped has the first error of each package that gets no checks because it has errors. The go
	// command refuses these packages too, in its own words.
	Skipped []error
	// Go are the texts of files of Go itself to compile in place of others, by their paths.
	Go map[string][]byte
	// HasActivities says whether the program has package internal/sys/blockhook of freerun.
	HasActivities bool
}

// Empty reports whether no file of the program is rewritten.
func (r *Result) Empty() bool { return len(r.Texts) == 0 }

// IsWritten reports whether the go command is to compile other files than those of the user.
func (r *Result) IsWritten() bool { return !r.Empty() || len(r.Go) > 0 }

// module is the module of freerun itself, which is not rewritten, except for its programs.
const module = "github.com/freerun-go/freerun"

// Rewrite loads the named packages and their imports, and rewrites those of the main modules. It
// compiles no other packages than those that the rewritten ones import, which the go command needs
// anyway. An error is a fault of the go command, or a directive in the wrong place. The go command
// itself reports packages that do not exist or do not compile.
func Rewrite(q Request) (*Result, error) {
	l := loader{
		Request: q, fset: token.NewFileSet(),
		texts:   make(map[string][]byte),
		checked: make(map[string]*types.Package),
	}
	if l.GoEnv == nil {
		env, err := GoEnv(q.Dir, q.Env)
		if err != nil {
			return nil, err
		}
		l.GoEnv = env
	}
	store := openStore(q.Keep)
	defer store.trim()
	question := l.question()
	m := store.recall(question)
	before := m.Inputs.key(nil)
	if m.InputsKey == before {
		l.result.Texts, l.result.HasActivities = m.Texts, m.HasActivities
		return &l.result, l.addBelow()
	}
	roots, err := packages.Load(l.config(packages.NeedName|packages.NeedFiles|packages.NeedImports|packages.NeedDeps|packages.NeedModule|packages.NeedTypesSizes), q.Patterns...)
	if err != nil {
		return nil, listing(err)
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		l.result.HasActivities = l.result.HasActivities || p.PkgPath == blockhook && len(p.GoFiles) > 0
		l.exempts = l.exempts || p.PkgPath == ExemptPath && len(p.GoFiles) > 0
	})
	if err := l.addBelow(); err != nil {
		return nil, err
	}
	key := l.key(roots)
	texts := m.Texts
	if m.Key != key { // until it is done, the result has no text of an earlier build
		if texts, err = l.rewriteAll(l.choose(roots)); err != nil {
			return nil, err
		}
	}
	l.result.Texts = texts
	if len(l.result.Skipped) == 0 {
		now := memory{Key: key, Texts: l.result.Texts, HasActivities: l.result.HasActivities}
		now.noteListing(&l, roots, m.Inputs, before)
		store.remember(question, now)
	}
	return &l.result, nil
}

// addBelow adds files of Go itself to the result.
func (l *loader) addBelow() error {
	if l.Below == nil {
		return nil
	}
	return l.Below(&l.result)
}

// listing returns the error of a list of packages, in the go command's words if that has said some.
func listing(err error) error {
	if _, said, found := strings.Cut(err.Error(), "stderr: "); found {
		err = errors.New(strings.TrimSpace(said))
	}
	return fmt.Errorf("the go command does not list the packages: %w", err)
}

// rewriteAll rewrites packages: typed, whose types are needed, and plain. It returns the texts by
// the paths of their files.
func (l *loader) rewriteAll(typed, plain []*packages.Package) (map[string][]byte, error) {
	texts := make(map[string][]byte)
	for _, p := range plain {
		if err := l.noteExempt(p, texts); err != nil {
			return nil, err
		}
	}
	if len(typed) == 0 {
		return texts, nil
	}
	if err := l.loadOthers(typed); err != nil {
		return nil, err
	}
	for _, p := range typed {
		if err := l.rewrite(p, texts); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// blockhook is the package through which activities hear that they are about to block.
const blockhook = module + "/internal/sys/blockhook"

type loader struct {
	Request
	fset    *token.FileSet
	texts   map[string][]byte         // by name, the files that were read
	others  map[string]*types.Package // by path, the packages that are not rewritten
	checked map[string]*types.Package // by ID, the packages that are rewritten
	exempts bool                      // whether the program has package uncooperative of freerun
	result  Result
}

func (l *loader) config(mode packages.LoadMode) *packages.Config {
	env := l.Env
	if env == nil {
		env = os.Environ()
	}
	// The go command compiles by its own listing, and by that of no other driver.
	env = append(slices.Clone(env), "GOPACKAGESDRIVER=off")
	return &packages.Config{Mode: mode, Dir: l.Dir, Env: env, BuildFlags: l.Flags, Tests: l.Tests, Fset: l.fset}
}

// choose returns the packages of the main modules to rewrite, each after its imports: those that
// can know the type Activity, whose types are needed, and others, which may have exempt functions.
func (l *loader) choose(roots []*packages.Package) (typed, plain []*packages.Package) {
	knows := make(map[*packages.Package]bool)
	packages.Visit(roots, nil, func(p *packages.Package) {
		knows[p] = p.PkgPath == ActivityPath
		for _, imported := range p.Imports {
			knows[p] = knows[p] || knows[imported]
		}
		switch {
		case !l.isOurs(p):
		case knows[p]:
			typed = append(typed, p)
		case l.exempts:
			plain = append(plain, p)
		}
	})
	return typed, plain
}

// isOurs reports whether a package is the user's own. The program that runs the tests of a package
// is the go command's.
func (l *loader) isOurs(p *packages.Package) bool {
	switch {
	case len(p.GoFiles) > 0 && l.isBelow(p.GoFiles[0], "GOCACHE"):
		return false
	case p.Module == nil: // or it is named by its files
		return p.PkgPath == "command-line-arguments" || p.PkgPath == "command-line-arguments_test"
	case p.Module.Path == module && !strings.HasPrefix(p.PkgPath, module+"/programs/"):
		return false
	}
	return p.Module.Main
}

// isStandard reports whether a package is of the standard library, whose version is in GoEnv.
func (l *loader) isStandard(p *packages.Package) bool {
	return p.Module == nil && l.isBelow(filepath.Join(p.Dir, "x"), "GOROOT")
}

// loadOthers loads the types of the imports that are not of the main modules, from the compiler's
// output. They are compiled as they will be for the program, with Go's own files that are replaced.
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
	if l.result.IsWritten() {
		folder, err := os.MkdirTemp("", "freerun-list-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		overlay, err := l.result.Write(folder, l.Overlay)
		if err != nil {
			return err
		}
		config.BuildFlags = append(slices.Clone(config.BuildFlags), "-overlay="+overlay)
	}
	found, err := packages.Load(config, slices.Compact(paths)...)
	if err != nil {
		return listing(err)
	}
	l.others = make(map[string]*types.Package)
	for _, p := range found {
		if p.Types != nil && p.Types.Complete() {
			l.others[p.PkgPath] = p.Types
		}
	}
	return nil
}

// rewrite checks the types of a package and rewrites its files, into a map by their paths. A file
// can be part of several packages, as when a package is compiled once more for its tests. It is
// rewritten once.
func (l *loader) rewrite(p *packages.Package, into map[string][]byte) error {
	u := Package{
		Fset: l.fset, Sizes: p.TypesSizes, Path: p.PkgPath, Info: newInfo(), Preempted: l.Preempted,
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
		l.result.Skipped = append(l.result.Skipped, fmt.Errorf("%s: %w", p.PkgPath, failure))
		return nil
	}
	texts, err := u.Rewrite()
	if err != nil {
		return err
	}
	for i, text := range texts {
		if text != nil {
			into[names[i]] = text
		}
	}
	return nil
}

// noteExempt has those files of a package tell the names of their exempt functions that have some,
// into a map by their paths.
func (l *loader) noteExempt(p *packages.Package, into map[string][]byte) error {
	u := Package{Fset: l.fset, Path: p.PkgPath}
	var names []string
	for _, name := range p.GoFiles {
		source, err := l.read(name)
		if err != nil || !bytes.Contains(source, []byte(exemption)) {
			continue // the go command reports what cannot be read
		}
		file, err := parser.ParseFile(l.fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		names, u.Files, u.Sources = append(names, name), append(u.Files, file), append(u.Sources, source)
	}
	texts, err := u.Rewrite()
	for i, text := range texts {
		if text != nil {
			into[names[i]] = text
		}
	}
	return err
}

// newInfo returns what the type checker is to fill for a [Package].
func newInfo() *types.Info {
	return &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection), Scopes: make(map[ast.Node]*types.Scope),
	}
}

// usesC reports whether one of the files uses cgo.
func usesC(files []*ast.File) bool {
	return slices.ContainsFunc(files, func(f *ast.File) bool {
		return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
	})
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

// read reads a file, or the file that the user's overlay has in its place. What it returned once it
// returns again: so what is remembered was made from what its key was made from.
func (l *loader) read(name string) ([]byte, error) {
	if instead, ok := l.Overlay[name]; ok {
		name = instead
	}
	if text, ok := l.texts[name]; ok {
		return text, nil
	}
	text, err := os.ReadFile(name)
	if err == nil {
		l.texts[name] = text
	}
	return text, err
}
