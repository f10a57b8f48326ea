package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Explored fails the test unless explorations call every exported method of every exported struct
// of the package in the current folder. The explorations of a struct are the test functions listed
// for it, with all functions, methods and variables of tests and of this package that they mention.
// A struct with methods that is not listed fails, and so does a listed name without methods. There
// are no exceptions; constructors are no methods.
func Explored(t *testing.T, explorations map[string][]string) {
	t.Helper()
	source, tests := declarations(t, "."), newMentions()
	for _, file := range source {
		if file.test {
			tests.add(file)
		}
	}
	for _, file := range declarations(t, ladderFolder()) {
		if !file.test {
			tests.add(file)
		}
	}
	verbs := exportedVerbs(source)
	for name := range explorations {
		if verbs[name] == nil {
			t.Errorf("explorations are listed for %s, which has no exported methods", name)
		}
	}
	for name, methods := range verbs {
		listed := explorations[name]
		if len(listed) == 0 {
			t.Errorf("no exploration is listed for %s, which has the methods %v", name, methods)
			continue
		}
		called := map[string]bool{}
		for _, test := range listed {
			if !tests.explorer[test] {
				t.Errorf("%s is listed for %s, and is no test with the tag explore", test, name)
			}
			tests.collect(test, called, map[string]bool{})
		}
		for _, method := range methods {
			if !called[method] {
				t.Errorf("%s.%s is called by none of %v", name, method, listed)
			}
		}
	}
}

// ladderFolder returns this package's folder, seen from another package of the module.
func ladderFolder() string {
	for up := "."; ; up = filepath.Join(up, "..") {
		folder := filepath.Join(up, "internal", "verify", "conformance")
		if _, err := os.Stat(folder); err == nil {
			return folder
		}
		if absolute, err := filepath.Abs(up); err != nil || absolute == filepath.Dir(absolute) {
			return "."
		}
	}
}

// sourceFile is a parsed file.
type sourceFile struct {
	syntax   *ast.File
	test     bool
	explorer bool // has the tag explore
}

// declarations parses all files of a folder, for every build.
func declarations(t *testing.T, folder string) (files []sourceFile) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no source in %s: %v", folder, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, sourceFile{
			syntax, strings.HasSuffix(name, "_test.go"), strings.HasPrefix(string(text), "//go:build explore\n"),
		})
	}
	return files
}

// exportedVerbs returns the exported methods of exported structs, by the struct's name.
func exportedVerbs(files []sourceFile) map[string][]string {
	structs, verbs := map[string]bool{}, map[string][]string{}
	for _, f := range files {
		for _, d := range f.syntax.Decls {
			if d, ok := d.(*ast.GenDecl); ok && !f.test {
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
						_, structs[s.Name.Name] = s.Type.(*ast.StructType)
					}
				}
			}
		}
	}
	for _, f := range files {
		for _, d := range f.syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && !f.test && d.Recv != nil && d.Name.IsExported() {
				if of := receiver(d); structs[of] && !slices.Contains(verbs[of], d.Name.Name) {
					verbs[of] = append(verbs[of], d.Name.Name)
				}
			}
		}
	}
	return verbs
}

// receiver returns the name of a method's receiver type.
func receiver(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

// mentions are the declarations of tests, by name: functions, methods and variables.
type mentions struct {
	nodes    map[string][]ast.Node
	explorer map[string]bool // test functions with the tag explore
}

func newMentions() *mentions {
	return &mentions{nodes: map[string][]ast.Node{}, explorer: map[string]bool{}}
}

func (m *mentions) add(f sourceFile) {
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			m.nodes[d.Name.Name] = append(m.nodes[d.Name.Name], d.Body)
			if f.explorer && f.test && strings.HasPrefix(d.Name.Name, "TestExplore") {
				m.explorer[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ValueSpec); ok {
					for _, name := range s.Names {
						m.nodes[name.Name] = append(m.nodes[name.Name], s)
					}
				}
			}
		}
	}
}

// collect adds to called the names of all selectors (methods are called through them) in a
// declaration, and in all declarations that it mentions.
func (m *mentions) collect(name string, called, seen map[string]bool) {
	if seen[name] {
		return
	}
	seen[name] = true
	for _, node := range m.nodes[name] {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				called[n.Sel.Name] = true
				m.collect(n.Sel.Name, called, seen)
			case *ast.Ident:
				m.collect(n.Name, called, seen)
			}
			return true
		})
	}
}
