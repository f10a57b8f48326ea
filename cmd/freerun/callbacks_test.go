package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnawareCallbacksAll holds that all exported things with which freerun gets something of the
// user's to call have a scenario, or a reason why not.
func TestUnawareCallbacksAll(t *testing.T) {
	found := map[string]bool{}
	for _, name := range append(takesCallbacks(t, "../..", ""), takesCallbacks(t, "../../activity", "activity.")...) {
		found[name] = true
		if _, has := scenarios[name]; !has && exceptions[name] == "" {
			t.Errorf("%s takes what freerun calls: give it a scenario in which that waits for a lock, or a reason why it must not", name)
		}
		if _, has := scenarios[name]; has && exceptions[name] != "" {
			t.Errorf("%s has a scenario and is an exception", name)
		}
	}
	for name := range exceptions {
		if !found[name] {
			t.Errorf("%s is an exception, and takes nothing that freerun calls", name)
		}
	}
}

// takesCallbacks returns the exported functions, methods and fields of a package with which freerun
// gets a function of the user's, or a value whose methods are the user's; and those that return a
// loop.
func takesCallbacks(t *testing.T, dir, prefix string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	own := map[string]bool{} // types of the package that the user implements
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		for _, d := range f.Decls {
			eachType(d, func(s *ast.TypeSpec) {
				switch s.Type.(type) {
				case *ast.FuncType, *ast.InterfaceType:
					own[s.Name.Name] = s.Name.IsExported() && calls(s.Type, own)
				}
			})
		}
	}
	add := func(name string, isCallback bool) {
		if isCallback {
			names = append(names, prefix+name)
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			eachType(d, func(s *ast.TypeSpec) {
				if of, is := s.Type.(*ast.StructType); is && s.Name.IsExported() {
					for _, field := range of.Fields.List {
						exported := slices.ContainsFunc(field.Names, (*ast.Ident).IsExported)
						add(s.Name.Name, exported && calls(field.Type, own))
					}
				}
			})
			if fn, is := d.(*ast.FuncDecl); is && fn.Name.IsExported() {
				name, exported := fn.Name.Name, true
				if fn.Recv != nil {
					of := receiver(fn.Recv.List[0].Type)
					name, exported = of.Name+"."+name, of.IsExported()
				}
				add(name, exported && takes(fn, own))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func eachType(d ast.Decl, do func(s *ast.TypeSpec)) {
	if d, is := d.(*ast.GenDecl); is {
		for _, s := range d.Specs {
			if s, is := s.(*ast.TypeSpec); is {
				do(s)
			}
		}
	}
}

// receiver returns the name of the type of a method's receiver.
func receiver(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return e.(*ast.Ident)
}

// takes reports whether a function takes something to call, or returns a loop. One that is called
// fn is a function, although its type is a parameter.
func takes(fn *ast.FuncDecl, own map[string]bool) bool {
	for _, p := range fn.Type.Params.List {
		if calls(p.Type, own) || slices.ContainsFunc(p.Names, func(n *ast.Ident) bool { return n.Name == "fn" }) {
			return true
		}
	}
	is := false
	if fn.Type.Results != nil {
		ast.Inspect(fn.Type.Results, func(n ast.Node) bool {
			s, selects := n.(*ast.SelectorExpr)
			is = is || selects && s.X.(*ast.Ident).Name == "iter"
			return true
		})
	}
	return is
}

// calls reports whether a value of a type has code of the user's: a function, or methods. Contexts
// and errors do not count: what is theirs does not wait.
func calls(e ast.Expr, own map[string]bool) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			is = true
		case *ast.InterfaceType: // of which freerun's own types are the only ones, or any may be
			for _, m := range n.Methods.List {
				is = is || slices.ContainsFunc(m.Names, (*ast.Ident).IsExported)
			}
			return false
		case *ast.Ident:
			is = is || own[n.Name]
		case *ast.SelectorExpr:
			switch n.X.(*ast.Ident).Name + "." + n.Sel.Name {
			case "slog.Handler", "slog.Logger", "io.Writer", "iter.Seq", "iter.Seq2":
				is = true
			}
			return false
		}
		return true
	})
	return is
}
