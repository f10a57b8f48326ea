package cooperate

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
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
	// Keep is a folder for the rewritten packages of other modules, which are kept for the next
	// time. If it is "" or cannot be written, nothing is kept.
	Keep string
	// Below adds files of Go itself to the result, if it is not nil. It is called before anything
	// is compiled, so that nothing is compiled without them first.
	Below func(*Result) error
}

// Result is the result of [Rewrite].
type Result struct {
	// Texts are the rewritten files, by their paths.
	Texts map[string][]byte
	// Kept are the names of rewritten files that are kept, by the paths of the files themselves.
	Kept map[string]string
	// Skipped has the first error of each package that gets no checks because it has errors. The go
	// command refuses these packages too, in its own words.
	Skipped []error
	// Go are the texts of files of Go itself to compile in place of others, by their paths. GoKept
	// are the names of such files that are kept.
	Go     map[string][]byte
	GoKept map[string]string
	// Blockhook says whether the program has package internal/sys/blockhook of freerun.
	Blockhook bool
	// Polls says whether code without an activity in reach gets polls.
	Polls bool

	replace *replacements // modules that the go command must find in another place, or nil
}

// Empty reports whether no file of the program is rewritten.
func (r *Result) Empty() bool { return len(r.Texts)+len(r.Kept) == 0 }

// IsWritten reports whether the go command is to compile other files than those of the user.
func (r *Result) IsWritten() bool { return !r.Empty() || len(r.Go)+len(r.GoKept) > 0 }

// module is the module of freerun itself, which is not rewritten, except for its programs.
const module = "github.com/freerun-go/freerun"

// Rewrite loads the named packages and their imports, and rewrites those of the main modules; and
// if the program has package activity with polls, those of other modules. It compiles no other
// packages than those that the rewritten ones import, which the go command needs anyway. An error
// is a fault of the go command, or a directive in the wrong place. The go command itself reports
// packages that do not exist or do not compile.
func Rewrite(q Request) (*Result, error) {
	l := loader{
		Request: q, fset: token.NewFileSet(),
		checked: make(map[string]*types.Package),
		result:  Result{Texts: make(map[string][]byte), Kept: make(map[string]string)},
	}
	roots, err := packages.Load(l.config(packages.NeedName|packages.NeedFiles|packages.NeedImports|packages.NeedDeps|packages.NeedModule|packages.NeedTypesSizes), q.Patterns...)
	if err != nil {
		return nil, listing(err)
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		l.result.Blockhook = l.result.Blockhook || p.PkgPath == blockhook && len(p.GoFiles) > 0
	})
	if err := l.mayPoll(roots); err != nil {
		return nil, err
	}
	if l.result.Polls = l.polls; q.Below != nil {
		if err := q.Below(&l.result); err != nil {
			return nil, err
		}
	}
	ours, others := l.choose(roots)
	if len(ours)+len(others) == 0 {
		return &l.result, nil
	}
	store := openStore(q.Keep)
	defer store.trim()
	cache, err := l.openModuleCache(store)
	if err != nil {
		return nil, err
	}
	l.rewriteOthers(store, cache, others)
	question, key := l.question(), l.key(roots, cache)
	if texts, ok := store.recall(question, key); ok {
		maps.Copy(l.result.Texts, texts)
		return &l.result, nil
	}
	return &l.result, l.rewriteOurs(ours, func(texts map[string][]byte) { store.remember(question, key, texts) })
}

// listing returns the error of a list of packages, in the go command's words if that has said some.
func listing(err error) error {
	if _, said, found := strings.Cut(err.Error(), "stderr: "); found {
		err = errors.New(strings.TrimSpace(said))
	}
	return fmt.Errorf("the go command does not list the packages: %w", err)
}

// rewriteOurs rewrites the packages of the main modules, and hands the texts to remember if all
// packages could be rewritten.
func (l *loader) rewriteOurs(ours []*packages.Package, remember func(texts map[string][]byte)) error {
	if len(ours) == 0 {
		return nil
	}
	if err := l.loadOthers(ours); err != nil {
		return err
	}
	texts := make(map[string][]byte)
	for _, p := range ours {
		if err := l.rewrite(p, texts); err != nil {
			return err
		}
	}
	maps.Copy(l.result.Texts, texts)
	if len(l.result.Skipped) == 0 {
		remember(texts)
	}
	return nil
}

// blockhook is the package through which activities hear that they are about to block.
const blockhook = module + "/internal/sys/blockhook"

type loader struct {
	Request
	fset    *token.FileSet
	others  map[string]*types.Package // by path, the packages that are not rewritten
	checked map[string]*types.Package // by ID, the packages that are rewritten
	polls   bool                      // whether code without an activity in reach gets polls
	below   map[string]bool           // by path, the packages that must not import package poll
	result  Result
}

// env returns the environment of the go command.
func (l *loader) env() []string {
	if l.Env == nil {
		return os.Environ()
	}
	return l.Env
}

func (l *loader) config(mode packages.LoadMode) *packages.Config {
	return &packages.Config{Mode: mode, Dir: l.Dir, Env: l.Env, BuildFlags: l.Flags, Tests: l.Tests, Fset: l.fset}
}

// choose returns the packages to rewrite, each after its imports: those of the main modules, and if
// there are polls, those of other modules. Without polls there is nothing to do in packages that
// cannot know the type Activity.
func (l *loader) choose(roots []*packages.Package) (ours, others []*packages.Package) {
	knows := make(map[*packages.Package]bool)
	packages.Visit(roots, nil, func(p *packages.Package) {
		knows[p] = p.PkgPath == ActivityPath
		for _, imported := range p.Imports {
			knows[p] = knows[p] || knows[imported]
		}
		switch polls := l.polls && !l.below[p.PkgPath]; {
		case isOurs(p) && (knows[p] || polls):
			ours = append(ours, p)
		case polls && isOthers(p):
			others = append(others, p)
		}
	})
	return ours, others
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

// isOthers reports whether a package is neither the user's own nor freerun's, nor one of the
// standard library.
func isOthers(p *packages.Package) bool {
	return !strings.HasSuffix(p.ID, ".test") && p.Module != nil && !p.Module.Main && p.Module.Path != module
}

// loadOthers loads the types of the imports that are not of the main modules, from the compiler's
// output. They are compiled as they will be for the program, with polls.
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
		files, err := l.result.Write(folder, l.Overlay)
		if err != nil {
			return err
		}
		config.BuildFlags = append(slices.Clone(config.BuildFlags), files.Flags()...)
		if len(files.Env) > 0 {
			config.Env = append(slices.Clone(l.env()), files.Env...)
		}
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
		Fset: l.fset, Sizes: p.TypesSizes, Polls: l.polls && !l.below[p.PkgPath],
		Info: newInfo(),
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
