package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Package is a package with its types, as the normal build chooses its files.
type Package struct {
	root   string // of the tree
	folder string // relative to the root
	path   string
	fset   *token.FileSet
	names  []string // base names of the files, in the order of files
	files  []*ast.File
	source map[string][]byte // by base name
	info   *types.Info
	types  *types.Package

	imports types.Importer
	people  map[*types.Var]bool // the statistics, once they were looked for
}

// listed is the answer of go list for a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Standard                bool
	ForTest                 string
}

// goList returns the packages that go list prints for some arguments, run in the root of the tree.
func goList(root string, args ...string) ([]listed, error) {
	args = append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,Standard,ForTest"}, args...)
	c := exec.Command("go", args...)
	c.Dir = root
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, complaint.Bytes())
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// load type-checks the package in a folder. Its imports are read from the build cache.
func load(root, folder string) (*Package, error) {
	all, err := goList(root, "-export", "-deps", pattern(folder))
	if err != nil {
		return nil, err
	}
	own := all[len(all)-1] // -deps lists a package behind what it imports
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	p := &Package{
		root: root, folder: folder, path: own.ImportPath, fset: token.NewFileSet(), names: own.GoFiles,
		source: map[string][]byte{},
	}
	p.imports = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	for _, name := range p.names {
		text, err := os.ReadFile(filepath.Join(own.Dir, name))
		if err != nil {
			return nil, err
		}
		p.source[name] = text
		f, err := parser.ParseFile(p.fset, filepath.Join(own.Dir, name), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}
	p.types, err = p.check(p.files, p.info)
	return p, err
}

func (p *Package) check(files []*ast.File, info *types.Info) (*types.Package, error) {
	c := types.Config{Importer: p.imports, Sizes: types.SizesFor("gc", "amd64")}
	return c.Check(p.path, p.fset, files, info)
}

// compiles reports whether the package still type-checks with a mutation.
func (p *Package) compiles(m Mutation) bool {
	files := make([]*ast.File, len(p.files))
	copy(files, p.files)
	for i, name := range p.names {
		if p.file(name) != m.File {
			continue
		}
		f, err := parser.ParseFile(p.fset, name, m.apply(p.source[name]), parser.SkipObjectResolution)
		if err != nil {
			return false
		}
		files[i] = f
	}
	_, err := p.check(files, nil)
	return err == nil
}

// file returns the name of a file of the package relative to the root of the tree.
func (p *Package) file(base string) string {
	return filepath.ToSlash(filepath.Join(p.folder, base))
}
