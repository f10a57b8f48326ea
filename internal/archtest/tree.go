package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A Tree is the source of a repository, read once for all checks. One goroutine at a time may use
// it. Make it with [ReadTree].
type Tree struct {
	root    string
	files   []file
	modules map[string]string // folder of a go.mod → module path
	work    map[string]bool   // folders that go.work uses

	markdown []string // all documents except CHANGELOG.md
}

// A file is one file of Go or assembly. Paths are slash-separated and relative to the root.
type file struct {
	path     string
	folder   string
	test     bool
	external bool // a test, of package x_test
	assembly bool
	linkname bool
	lines    int
	imports  []imported

	constraint constraint.Expr // nil without one

	// The remaining fields are those of a Go file.
	text      []byte
	syntax    *ast.File
	positions *token.FileSet
	starts    []int // offsets of the lines, made at the first request for a line
}

type imported struct {
	path string
	line int
}

// ReadTree reads all source below root as the go command sees it. It leaves out folders named
// testdata or vendor, and folders whose name begins with a dot or an underscore. The files of every
// platform count.
func ReadTree(root string) (*Tree, error) {
	t := &Tree{root: root, modules: map[string]string{}}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		base := entry.Name()
		hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
		if entry.IsDir() {
			if relative != "." && (hidden || base == "testdata" || base == "vendor") {
				return fs.SkipDir
			}
			return nil
		}
		if hidden {
			return nil
		}
		return t.add(name, relative)
	})
	if err != nil {
		return nil, err
	}
	t.work, err = readWork(filepath.Join(root, "go.work"))
	return t, err
}

// add reads one file if it is of a relevant kind.
func (t *Tree) add(name, relative string) error {
	isModule, isGo, isAssembly := path.Base(relative) == "go.mod", path.Ext(relative) == ".go", path.Ext(relative) == ".s"
	if path.Ext(relative) == ".md" && relative != "CHANGELOG.md" {
		t.markdown = append(t.markdown, relative)
	}
	if !isModule && !isGo && !isAssembly {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if isModule {
		for line := range strings.Lines(string(text)) {
			if module, found := strings.CutPrefix(strings.TrimSpace(line), "module "); found {
				t.modules[path.Dir(relative)] = strings.TrimSpace(module)
			}
		}
		return nil
	}
	f := file{path: relative, folder: path.Dir(relative), assembly: isAssembly, lines: bytes.Count(text, []byte("\n"))}
	if f.constraint, err = constraintOf(text); err != nil {
		return fmt.Errorf("%s: cannot read the build constraint: %w", relative, err)
	}
	if isGo {
		if err := f.parse(text); err != nil {
			return err
		}
	}
	t.files = append(t.files, f)
	return nil
}

// parse finds the imports of a Go file, and whether the file links to another package's names.
func (f *file) parse(text []byte) error {
	f.test = strings.HasSuffix(f.path, "_test.go")
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, f.path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("cannot parse: %w", err)
	}
	for _, spec := range syntax.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: cannot read the import %s: %w", f.path, spec.Path.Value, err)
		}
		f.imports = append(f.imports, imported{target, positions.Position(spec.Pos()).Line})
	}
	f.external = f.test && strings.HasSuffix(syntax.Name.Name, "_test")
	f.linkname = linksNames(syntax)
	f.text, f.syntax, f.positions = text, syntax, positions
	return nil
}

func linksNames(syntax *ast.File) bool {
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:linkname ") {
				return true
			}
		}
	}
	return false
}

// readWork returns the folders that a go.work uses.
func readWork(name string) (map[string]bool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	inBlock := false
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		single, isSingle := strings.CutPrefix(line, "use ")
		switch {
		case line == "use (":
			inBlock = true
		case line == ")":
			inBlock = false
		case isSingle:
			used[path.Clean(strings.TrimSpace(single))] = true
		case inBlock && line != "":
			used[path.Clean(line)] = true
		}
	}
	return used, nil
}

// moduleOf returns the folder of the module that a folder is part of: the nearest folder with a
// go.mod, upwards from it.
func (t *Tree) moduleOf(folder string) string {
	for folder != "." {
		if _, found := t.modules[folder]; found {
			return folder
		}
		folder = path.Dir(folder)
	}
	return "."
}

// folderOf returns the folder of a package of this repository, by its import path.
func (t *Tree) folderOf(importPath string) (folder string, ours bool) {
	root := t.modules["."]
	if importPath == root {
		return ".", true
	}
	return strings.CutPrefix(importPath, root+"/")
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
