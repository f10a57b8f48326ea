package archtest

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// A loader type-checks packages of this repository and of the standard library from their source,
// without the bodies of functions. It takes a package of another repository for an empty one, so a
// type of that package is invalid. The types that this repository declares itself are known
// nevertheless.
type loader struct {
	*Tree
	context  build.Context
	fset     *token.FileSet
	packages map[string]*types.Package // by import path
	foreign  map[string]bool           // packages of other repositories, and those that need one
	err      error                     // the first error of a package that is not foreign
}

func newLoader(t *Tree) *loader {
	l := &loader{
		Tree: t, context: build.Default, fset: token.NewFileSet(),
		packages: map[string]*types.Package{"unsafe": types.Unsafe}, foreign: map[string]bool{},
	}
	l.context.CgoEnabled = false // so that net and os/user are Go alone
	return l
}

// load returns the package in a folder of the repository.
func (l *loader) load(folder string) (*types.Package, error) {
	importPath := l.modules["."]
	if folder != "." {
		importPath += "/" + folder
	}
	p, err := l.Import(importPath)
	if err == nil {
		err = l.err
	}
	return p, err
}

// Import implements [types.Importer].
func (l *loader) Import(importPath string) (*types.Package, error) {
	if p := l.packages[importPath]; p != nil {
		return p, nil
	}
	folder, found := l.find(importPath)
	if !found {
		p := types.NewPackage(importPath, baseName(importPath))
		p.MarkComplete()
		l.packages[importPath], l.foreign[importPath] = p, true
		return p, nil
	}
	files, err := l.parse(folder)
	if err != nil {
		return nil, err
	}
	var first error
	c := types.Config{
		Importer:         l,
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Error: func(err error) {
			if first == nil {
				first = err
			}
		},
	}
	p, _ := c.Check(importPath, l.fset, files, nil)
	for _, i := range p.Imports() {
		l.foreign[importPath] = l.foreign[importPath] || l.foreign[i.Path()]
	}
	if first != nil && !l.foreign[importPath] && l.err == nil {
		l.err = first
	}
	l.packages[importPath] = p
	return p, nil
}

// parse returns the files of a folder that are built, tests excepted.
func (l *loader) parse(folder string) (files []*ast.File, err error) {
	chosen, err := l.context.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range chosen.GoFiles {
		syntax, err := parser.ParseFile(l.fset, filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, syntax)
	}
	return files, nil
}

// find returns the folder of a package of this repository or of the standard library, and false for
// any other.
func (l *loader) find(importPath string) (string, bool) {
	if folder, ours := l.folderOf(importPath); ours {
		return filepath.Join(l.root, filepath.FromSlash(folder)), true
	}
	source := filepath.Join(l.context.GOROOT, "src")
	for _, folder := range []string{source, filepath.Join(source, "vendor")} {
		folder = filepath.Join(folder, filepath.FromSlash(importPath))
		if isFolder(folder) {
			return folder, true
		}
	}
	return "", false
}

// baseName guesses the name of a package whose source is not read: the last word of its path that
// is not a version, without the prefix go- and without what follows a dot.
func baseName(importPath string) string {
	words := strings.Split(importPath, "/")
	last := words[len(words)-1]
	if len(words) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = words[len(words)-2]
	}
	last, _, _ = strings.Cut(last, ".")
	return strings.TrimPrefix(last, "go-")
}

// position returns the position of an object's declaration, relative to the root.
func (l *loader) position(o types.Object) string {
	at := l.fset.Position(o.Pos())
	name, err := filepath.Rel(l.root, at.Filename)
	if err != nil {
		name = at.Filename
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line)
}
