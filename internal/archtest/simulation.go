package archtest

import (
	"go/ast"
	"strings"
)

// simulated are the names by which package freerun can find out whether a runtime is simulated: the
// field of env and its type, the bit of its observers, the field of the settings, and the question
// of package sched.
var simulated = map[string]bool{"sim": true, "simulation": true, "bySchedule": true, "schedule": true, "Driven": true}

// simulation checks that in the root folder only the files that begin with env ask whether a
// runtime is simulated. Other files call the methods of env. None of those answers the question
// itself: a method without parameters whose result is a bool.
func (c *checker) simulation() {
	for i := range c.files {
		f := &c.files[i]
		if f.syntax == nil || f.test || f.folder != "." {
			continue
		}
		if strings.HasPrefix(f.path, "env") {
			c.answers(f)
			continue
		}
		declared := declaredNames(f.syntax)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if simulated[n.Name] && !declared[n] {
					c.report("%s:%d: uses %s; only the files env*.go ask whether a runtime is simulated", f.path, f.positions.Position(n.Pos()).Line, n.Name)
				}
			case *ast.BinaryExpr:
				if isEnv(n.X) || isEnv(n.Y) {
					c.report("%s:%d: compares an env; only the files env*.go ask whether a runtime is simulated", f.path, f.positions.Position(n.Pos()).Line)
				}
			}
			return true
		})
	}
}

// declaredNames returns the names of the fields, constants and variables that a file declares at
// their declarations.
func declaredNames(syntax *ast.File) map[*ast.Ident]bool {
	declared := map[*ast.Ident]bool{}
	ast.Inspect(syntax, func(n ast.Node) bool {
		var names []*ast.Ident
		switch n := n.(type) {
		case *ast.Field:
			names = n.Names
		case *ast.ValueSpec:
			names = n.Names
		}
		for _, name := range names {
			declared[name] = true
		}
		return true
	})
	return declared
}

// isEnv reports whether an expression is a field with the name env, or a literal of type env.
func isEnv(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name == "env"
	case *ast.CompositeLit:
		name, ok := e.Type.(*ast.Ident)
		return ok && name.Name == "env"
	}
	return false
}

// answers checks the methods of env in a file.
func (c *checker) answers(f *file) {
	for _, d := range f.syntax.Decls {
		m, ok := d.(*ast.FuncDecl)
		if !ok || m.Recv == nil || m.Type.Params.NumFields() > 0 || m.Type.Results.NumFields() != 1 {
			continue
		}
		of, ofEnv := m.Recv.List[0].Type.(*ast.Ident)
		result, named := m.Type.Results.List[0].Type.(*ast.Ident)
		if ofEnv && of.Name == "env" && named && result.Name == "bool" {
			c.report("%s:%d: env.%s only says whether a runtime is simulated; give env a method that does what differs", f.path, f.positions.Position(m.Pos()).Line, m.Name.Name)
		}
	}
}
