package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// insertion is text that is put into a file at an offset.
type insertion struct {
	at   int
	text string
}

// wrap returns the text of a test file whose functions with a *testing.T run their bodies in
// activities, by the package of the given path. All lines keep their numbers. Functions that the
// file calls in a bubble of testing/synctest stay as they are: nothing outside may wake them.
func wrap(name string, text []byte, path string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	testing := importedAs(file, "testing")
	if testing == "" {
		return text, nil
	}
	synctest := importedAs(file, "testing/synctest")
	var all []insertion
	put := func(p token.Pos, text string) { all = append(all, insertion{files.Position(p).Offset, text}) }
	into := func(of *ast.FuncType, body *ast.BlockStmt) {
		if t := parameter(of, testing); t != "" && body != nil {
			put(body.Lbrace+1, fmt.Sprintf(" freerun_in.Run(%s, func(_ *freerun_in.Activity) {", t))
			put(body.Rbrace, "})")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if of, isSelector := n.Fun.(*ast.SelectorExpr); isSelector {
				if in, isName := of.X.(*ast.Ident); isName && synctest != "" && in.Name == synctest {
					return false
				}
			}
		case *ast.FuncDecl:
			if n.Type.Params.NumFields() == 1 { // others are called by tests, with their t
				into(n.Type, n.Body)
			}
		case *ast.FuncLit:
			into(n.Type, n.Body)
		}
		return true
	})
	if len(all) == 0 {
		return text, nil
	}
	put(file.Name.End(), "; import freerun_in "+strconv.Quote(path))
	slices.SortStableFunc(all, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	from := 0
	for _, i := range all {
		out = append(append(out, text[from:i.at]...), i.text...)
		from = i.at
	}
	return append(out, text[from:]...), nil
}

// importedAs returns the name that a file has for a package, empty if it does not import it.
func importedAs(file *ast.File, path string) string {
	for _, i := range file.Imports {
		if i.Path.Value != strconv.Quote(path) {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return path[strings.LastIndex(path, "/")+1:]
	}
	return ""
}

// parameter returns the name of the first parameter of a function without results, if that is a
// *testing.T and has a name.
func parameter(of *ast.FuncType, testing string) string {
	if of.Results != nil || len(of.Params.List) == 0 || len(of.Params.List[0].Names) == 0 {
		return ""
	}
	pointer, isPointer := of.Params.List[0].Type.(*ast.StarExpr)
	if !isPointer {
		return ""
	}
	name := of.Params.List[0].Names[0].Name
	t, isSelector := pointer.X.(*ast.SelectorExpr)
	if !isSelector || t.Sel.Name != "T" || name == "_" {
		return ""
	}
	if in, isName := t.X.(*ast.Ident); !isName || in.Name != testing {
		return ""
	}
	return name
}
