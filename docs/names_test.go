package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readers returns the pages whose names are held: all but those that tell history (docs/adr) and
// those of single algorithms, which stand beside their code.
func readers(t *testing.T) (chosen []page) {
	for _, p := range pages(t) {
		if !strings.HasPrefix(p.name, "docs/adr/") && !strings.HasPrefix(p.name, "docs/algorithms/") {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

var (
	folder   = regexp.MustCompile(`\b(?:internal|programs|offheap|cmd/freerun)/[a-z_]+(?:/[a-z_]+)*`)
	goFile   = regexp.MustCompile(`[A-Za-z0-9_./-]*[A-Za-z0-9_]\.go\b`)
	testName = regexp.MustCompile(`\b(?:Test|Example|Benchmark|Fuzz)[A-Z][A-Za-z0-9_]*…?`)
	oldNames = "<!-- old names: begin -->"
)

// TestFilesAndTests holds that the folders, files and tests that a page mentions exist: a file by its
// path from the root, or by its name alone if it is in the root or in a folder that the line names.
func TestFilesAndTests(t *testing.T) {
	present, bases, tests := map[string]bool{}, map[string][]string{}, map[string]bool{}
	for _, name := range files(t, ".") {
		present[name] = true
		bases[path.Base(name)] = append(bases[path.Base(name)], path.Dir(name))
		if strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if declared, found := strings.CutPrefix(line, "func "); found {
					name, _, _ := strings.Cut(declared, "(")
					tests[name] = true
				}
			}
		}
	}
	for _, p := range readers(t) {
		for i, line := range p.prose() {
			if strings.HasPrefix(line, oldNames) {
				break // what follows lists names that are no more
			}
			for _, name := range goFile.FindAllString(line, -1) {
				found := present[name] || present[path.Join(path.Dir(p.name), name)] || present["docs/tour/"+name]
				if !found && !strings.Contains(name, "/") {
					for _, folder := range bases[name] {
						found = found || strings.Contains(line, folder)
					}
				}
				if !found && !strings.HasPrefix(name, "/") {
					t.Errorf("%s:%d: there is no file %s", p.name, i+1, name)
				}
			}
			for _, name := range folder.FindAllString(line, -1) {
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil && !present[name+".go"] {
					t.Errorf("%s:%d: there is no folder %s", p.name, i+1, name)
				}
			}
			for _, name := range testName.FindAllString(line, -1) {
				if !tests[name] && !strings.HasSuffix(name, "…") {
					t.Errorf("%s:%d: there is no test %s", p.name, i+1, name)
				}
			}
		}
	}
}

// packages are those that users import, by the name before the dot.
var packages = map[string]string{
	"freerun": ".", "activity": "activity", "queue": "queue", "deque": "deque", "lock": "lock",
	"offheap": "offheap", "gc": "offheap/gc", "recording": "recording", "simulate": "simulate",
	"freeruntest": "freeruntest", "httpview": "httpview", "otelfreerun": "otelfreerun",
}

var exportedName = regexp.MustCompile(`\b([a-z]+)\.([A-Z][A-Za-z0-9]*)(?:\.([A-Z][A-Za-z0-9]*))?`)

// TestExportedNames holds that a page names nothing of a package that the package does not export.
func TestExportedNames(t *testing.T) {
	exported := map[string]map[string]bool{}
	for name, folder := range packages {
		exported[name] = exports(t, folder)
	}
	for _, p := range readers(t) {
		for i, line := range p.lines {
			if strings.HasPrefix(line, oldNames) {
				break
			}
			for _, found := range exportedName.FindAllStringSubmatch(line, -1) {
				names, ours := exported[found[1]]
				switch {
				case !ours || found[0] == "lock.Unlock":
				case !names[found[2]]:
					t.Errorf("%s:%d: package %s exports no %s", p.name, i+1, found[1], found[2])
				case found[3] != "" && !names[found[2]+"."+found[3]]:
					t.Errorf("%s:%d: %s.%s has no %s", p.name, i+1, found[1], found[2], found[3])
				}
			}
		}
	}
}

// exports returns the exported names of the package in a folder, methods and fields as Type.Name.
func exports(t *testing.T, folder string) map[string]bool {
	names := map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(folder), name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range syntax.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
						for _, member := range members(s.Type) {
							names[s.Name.Name+"."+member] = true
						}
					case *ast.ValueSpec:
						for _, name := range s.Names {
							names[name.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// receiver returns the name of a method's type and a dot, and nothing for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	kind := d.Recv.List[0].Type
	for {
		switch k := kind.(type) {
		case *ast.StarExpr:
			kind = k.X
		case *ast.IndexExpr:
			kind = k.X
		case *ast.IndexListExpr:
			kind = k.X
		case *ast.Ident:
			return k.Name + "."
		default:
			return ""
		}
	}
}

// members returns the names of the fields of a struct, or the methods of an interface.
func members(kind ast.Expr) (names []string) {
	var list *ast.FieldList
	switch k := kind.(type) {
	case *ast.StructType:
		list = k.Fields
	case *ast.InterfaceType:
		list = k.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
