package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// An access is a call of a method of a word that goroutines share.
type access struct {
	call   *ast.CallExpr
	word   ast.Expr // the receiver
	method string
	plain  bool // the word is atomics.Plain, which other words protect
}

// access returns e as a call of a method of an atomic word, if it is one.
func (p *Package) access(e ast.Expr) (a access, ok bool) {
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if !isCall {
		return access{}, false
	}
	selector, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector {
		return access{}, false
	}
	s := p.info.Selections[selector]
	if s == nil || s.Kind() != types.MethodVal || s.Obj().Pkg() == nil {
		return access{}, false
	}
	switch path := s.Obj().Pkg().Path(); {
	case path == "sync/atomic", strings.HasSuffix(path, "internal/sync/atomics"):
		return access{call, selector.X, selector.Sel.Name, strings.Contains(s.Recv().String(), "atomics.Plain[")}, true
	}
	return access{}, false
}

func (a access) writes() bool {
	switch a.method {
	case "Load", "LoadAcquire", "Get", "ForRead":
		return false
	}
	return true
}

// writesIn reports whether n has a write of an atomic word that is no Plain.
func (p *Package) writesIn(n ast.Node) (found bool) {
	p.accesses(n, func(a access) { found = found || a.writes() && !a.plain })
	return found
}

// looksIn reports whether n reads an atomic word or calls something that may.
func (p *Package) looksIn(n ast.Node) (found bool) {
	if n == nil {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !p.info.Types[call.Fun].IsType() && !p.info.Types[call.Fun].IsBuiltin() {
			found = true
		}
		return !found
	})
	return found
}

func (p *Package) accesses(n ast.Node, visit func(access)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(*ast.CallExpr); ok {
			if a, ok := p.access(e); ok {
				visit(a)
			}
		}
		return true
	})
}

// quietPackages have functions whose calls may be left out without changing the program's results,
// in the build that is tested: a call costs or saves time, or checks the caller.
var quietPackages = []string{
	"internal/sync/backoff", "internal/sync/rolecheck", "internal/sys/prefetch", "internal/sys/yield", "internal/sys/pad", "internal/sys/ticks",
}

// quiet reports whether a call only costs time or only checks: a function of the quiet packages, or
// one of this package whose body is empty or has nothing but such calls and panics.
func (p *Package) quiet(call *ast.CallExpr) bool { return p.quietTo(call, 3) }

func (p *Package) quietTo(call *ast.CallExpr, depth int) bool {
	var name *ast.Ident
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel
	case *ast.Ident:
		name = f
	default:
		return false
	}
	callee := p.info.Uses[name]
	if name.Name == "panic" {
		return true
	}
	f, ok := callee.(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	for _, quiet := range quietPackages {
		if strings.HasSuffix(f.Pkg().Path(), quiet) {
			return true
		}
	}
	if depth == 0 || f.Pkg() != p.types && f.Pkg().Path() != p.path {
		return false
	}
	body := p.body(f.Origin())
	if body == nil {
		return false
	}
	return p.quietList(body.List, depth-1)
}

// quietList reports whether statements are nothing but quiet calls, and ifs around such calls.
func (p *Package) quietList(list []ast.Stmt, depth int) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			if !ok || !p.quietTo(call, depth) {
				return false
			}
		case *ast.IfStmt:
			if s.Init != nil || s.Else != nil || p.writesIn(s.Cond) || !p.quietList(s.Body.List, depth) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// body returns the body of a function of the package.
func (p *Package) body(f *types.Func) *ast.BlockStmt {
	for _, file := range p.files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && p.info.Defs[d.Name] == f {
				return d.Body
			}
		}
	}
	return nil
}
