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

// oldNames is the line from which on a page lists names that are no more.
const oldNames = "<!-- old names: begin -->"

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
