package cooperate

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Standard is a standard library to rewrite.
type Standard struct {
	Root string // its GOROOT
	Arch string // its GOARCH
	// Facts are the version of Go, and the settings of the go command that decide which files it
	// compiles, besides its flags.
	Facts string
}

// RewriteStandard inserts polls into the standard library: into all packages but those that have a
// reason to have none, whether the program needs them or not. What comes out is kept, for all
// programs with these files. It returns the names of the rewritten files that are kept, by the
// paths of the files themselves; or their texts, if nothing can be kept.
func RewriteStandard(q Request, s Standard) (kept map[string]string, texts map[string][]byte, err error) {
	st, k := openStore(q.Keep), q.standardKey(s)
	if kept, ok := st.library(k, s.Root); ok {
		return kept, nil, nil
	}
	l, err := q.listStandard(s)
	if err != nil {
		return nil, nil, err
	}
	texts = l.rewrite(slices.Sorted(maps.Keys(l.packages)))
	if kept, ok := st.keepLibrary(k, s.Root, texts); ok {
		return kept, nil, nil
	}
	return nil, texts, nil
}

// deciding are the flags that decide which files of the standard library are compiled, besides
// -overlay.
var deciding = []string{"race", "msan", "asan", "tags", "compiler"}

// standardKey returns the key of all that the rewritten files depend on. The files of a version of
// Go do not change, except by the user's overlay.
func (q *Request) standardKey(s Standard) key {
	k := newKey()
	version, _ := os.ReadFile(filepath.Join(s.Root, "VERSION")) // a development version has none
	k.add(s.Root, string(version))
	k.add(s.Arch, s.Facts)
	for _, flag := range q.Flags {
		if name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "="); slices.Contains(deciding, name) {
			k.add("flag", flag)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Overlay)) {
		if strings.HasPrefix(name, filepath.Join(s.Root, "src")+string(filepath.Separator)) {
			text, err := q.read(name)
			k.add(name, fmt.Sprint(string(text), err != nil))
		}
	}
	return k
}

// library is the source of a standard library.
type library struct {
	*Request
	fset     *token.FileSet
	sizes    types.Sizes
	packages map[string]*libraryPackage
	below    map[string]bool // the packages that the runtime imports

	rewriting sync.WaitGroup
	slots     chan struct{}
	mu        sync.Mutex // protects texts
	texts     map[string][]byte
}

// libraryPackage is a package as `go list` tells of it.
type libraryPackage struct {
	ImportPath, Dir           string
	GoFiles, CgoFiles, SFiles []string
	Imports                   []string

	types *types.Package
}

// listStandard asks the go command for the packages of the standard library.
func (q *Request) listStandard(s Standard) (*library, error) {
	c := exec.Command("go", append(append([]string{"list", "-e", "-json=ImportPath,Dir,GoFiles,CgoFiles,SFiles,Imports"}, q.Flags...), "std")...)
	c.Dir, c.Env = q.Dir, q.Env
	var errs strings.Builder
	c.Stderr = &errs
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("the go command does not list the standard library: %w: %s", err, errs.String())
	}
	l := &library{
		Request: q, fset: token.NewFileSet(), sizes: types.SizesFor("gc", s.Arch),
		packages: make(map[string]*libraryPackage), texts: make(map[string][]byte),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	imports := make(map[string][]string)
	for d := json.NewDecoder(strings.NewReader(string(text))); ; {
		p := new(libraryPackage)
		switch err := d.Decode(p); {
		case errors.Is(err, io.EOF):
			l.below = belowRuntime(imports)
			return l, nil
		case err != nil:
			return nil, fmt.Errorf("what the go command lists cannot be read: %w", err)
		}
		l.packages[p.ImportPath] = p
		imports[p.ImportPath] = p.Imports
	}
}

// rewrite returns the rewritten files of these packages, and of those that they import, by their
// paths.
func (l *library) rewrite(packages []string) map[string][]byte {
	for _, path := range packages {
		_, _ = l.Import(path) // a package with errors stays as it is
	}
	l.rewriting.Wait()
	return l.texts
}

// Import returns the types of a package. It checks them from the source, after those of the
// packages that it imports, and has the package rewritten. The standard library imports its
// vendored packages by their paths elsewhere.
func (l *library) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := l.packages[path]
	if p == nil {
		p = l.packages["vendor/"+path]
	}
	if p == nil {
		return nil, fmt.Errorf("the standard library has no %s", path)
	}
	if p.types != nil {
		return p.types, nil
	}
	polled := !l.below[p.ImportPath] && !isLeftOut(p.ImportPath)
	u := Package{Fset: l.fset, Sizes: l.sizes, Info: newInfo(), Polls: true, Standard: true}
	names, failure := l.parse(&u, p)
	config := types.Config{
		Importer: l, FakeImportC: true, Sizes: l.sizes, IgnoreFuncBodies: !polled,
		Error: func(err error) { failure = errors.Join(failure, err) },
	}
	p.types, _ = config.Check(p.ImportPath, l.fset, u.Files, u.Info)
	u.Types = p.types
	if polled && (failure == nil || usesC(u.Files)) { // the names of package C are unknown here
		l.slots <- struct{}{}
		l.rewriting.Go(func() {
			defer func() { <-l.slots }()
			l.insert(&u, p, names)
		})
	}
	return p.types, nil
}

// parse parses the files of a package, and returns their names.
func (l *library) parse(u *Package, p *libraryPackage) (names []string, failure error) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		name = filepath.Join(p.Dir, name)
		source, err := l.read(name)
		if err != nil {
			failure = errors.Join(failure, err)
			continue
		}
		f, err := parser.ParseFile(l.fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			failure = errors.Join(failure, err)
			continue
		}
		names, u.Files, u.Sources = append(names, name), append(u.Files, f), append(u.Sources, source)
	}
	return names, failure
}

// insert inserts the polls into a package whose types are known.
func (l *library) insert(u *Package, p *libraryPackage, names []string) {
	u.Assembly = make(map[string]bool)
	for _, name := range p.SFiles {
		text, err := l.read(filepath.Join(p.Dir, name))
		if err != nil {
			return
		}
		for _, m := range symbol.FindAllSubmatch(text, -1) {
			u.Assembly[string(m[1])] = true
		}
	}
	texts, err := u.Rewrite()
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, text := range texts {
		if text != nil {
			l.texts[names[i]] = text
		}
	}
}

// symbol is the name of a function of a package in its assembly.
var symbol = regexp.MustCompile(`·(\w+)\(SB\)`)

// read reads a file, or the file that the user's overlay has in its place.
func (q *Request) read(name string) ([]byte, error) {
	if instead, ok := q.Overlay[name]; ok {
		name = instead
	}
	return os.ReadFile(name)
}
