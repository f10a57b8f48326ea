package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// This file holds the classes of changes that are the same to every caller by construction. The
// operators do not make them: a survivor of such a class says nothing about the tests.

// unpublished reports whether two statements only access words of values that the function made
// itself and that no other goroutine knows yet. Their order is not a change: no other goroutine can
// look between them, and the statement that publishes the value comes after both.
func (f *finder) unpublished(s, next ast.Stmt) bool {
	if f.body == nil {
		return false
	}
	for _, statement := range []ast.Stmt{s, next} {
		e, ok := statement.(*ast.ExprStmt)
		if !ok {
			return false
		}
		a, ok := f.access(e.X)
		if !ok {
			return false
		}
		made := f.variable(root(a.word))
		if made == nil || !f.madeHere(made) || f.handedOn(made, next.End()) {
			return false
		}
	}
	return true
}

// root returns the variable at the beginning of a path of selectors, nil if the path has an index,
// a call or a dereference in it.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return nil
		}
	}
}

func (f *finder) variable(name *ast.Ident) *types.Var {
	if name == nil {
		return nil
	}
	v, _ := f.info.Uses[name].(*types.Var)
	return v
}

// madeHere reports whether a variable of the function is set once, to a value made there: &T{…},
// T{…} or new(T).
func (f *finder) madeHere(v *types.Var) bool {
	made, set := false, 0
	ast.Inspect(f.body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, left := range assign.Lhs {
			name, ok := left.(*ast.Ident)
			if !ok || f.info.Defs[name] != v && f.info.Uses[name] != v {
				continue
			}
			set++
			made = assign.Tok == token.DEFINE && len(assign.Lhs) == len(assign.Rhs) && f.literal(assign.Rhs[i])
		}
		return true
	})
	return made && set == 1
}

// literal reports whether an expression makes a value.
func (f *finder) literal(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, made := e.X.(*ast.CompositeLit)
		return e.Op == token.AND && made
	case *ast.CallExpr:
		name, ok := e.Fun.(*ast.Ident)
		return ok && name.Name == "new" && f.info.Types[e.Fun].IsBuiltin()
	}
	return false
}

// handedOn reports whether the function uses a variable before a place in another way than by
// access to a word below it, or in a closure: others may know the value then.
func (f *finder) handedOn(v *types.Var, before token.Pos) (handed bool) {
	harmless := map[*ast.Ident]bool{}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok && f.info.Uses[name] == v {
					handed = true
				}
				return true
			})
		case *ast.CallExpr:
			if a, ok := f.access(n); ok {
				if name := root(a.word); name != nil && ast.Unparen(a.word) != ast.Expr(name) {
					harmless[name] = true
				}
			}
		case *ast.Ident:
			if f.info.Uses[n] == v && n.Pos() < before && !harmless[n] {
				handed = true
			}
		}
		return true
	})
	return handed
}

// forPeopleOnly reports whether a word is a statistic: a field, or a variable of the package, that
// only functions for people read. No protocol follows from its value, so that neither its amount
// nor its order is behaviour; a test of what people read holds it.
func (f *finder) forPeopleOnly(word ast.Expr) bool {
	v := f.wordVar(word)
	return v != nil && !v.Exported() && f.statistics()[v]
}

// wordVar returns the field or the variable of the package that holds a word, nil if it is another
// expression.
func (p *Package) wordVar(word ast.Expr) *types.Var {
	switch x := ast.Unparen(word).(type) {
	case *ast.SelectorExpr:
		v, _ := p.info.Uses[x.Sel].(*types.Var)
		return origin(v)
	case *ast.Ident:
		if v, _ := p.info.Uses[x].(*types.Var); v != nil && v.Parent() == p.types.Scope() {
			return v
		}
	}
	return nil
}

func origin(v *types.Var) *types.Var {
	if v == nil {
		return nil
	}
	return v.Origin()
}

// statistics returns the words of the package that are written, and that only functions for people
// read. A word that is used in another way than by access is none of them.
func (p *Package) statistics() map[*types.Var]bool {
	if p.people != nil {
		return p.people
	}
	p.people = map[*types.Var]bool{}
	uses, accesses := map[*types.Var]int{}, map[*types.Var]int{}
	readByPeople, readByProtocol := map[*types.Var]bool{}, map[*types.Var]bool{}
	for _, file := range p.files {
		for _, d := range file.Decls {
			function, _ := d.(*ast.FuncDecl)
			people := function != nil && forPeople(function.Name.Name)
			var unused []*ast.CallExpr
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if v, ok := p.info.Uses[n].(*types.Var); ok {
						uses[v.Origin()]++
					}
				case *ast.ExprStmt:
					if call, ok := n.X.(*ast.CallExpr); ok {
						unused = append(unused, call)
					}
				case *ast.CallExpr:
					a, ok := p.access(n)
					if !ok {
						return true
					}
					v := p.wordVar(a.word)
					if v == nil {
						return true
					}
					accesses[v]++
					if a.method == "Add" && slices.Contains(unused, n) {
						p.people[v] = true
					} else if people {
						readByPeople[v] = true
					} else {
						readByProtocol[v] = true
					}
				}
				return true
			})
		}
	}
	for v := range p.people {
		if readByProtocol[v] || !readByPeople[v] || uses[v] != accesses[v] {
			delete(p.people, v)
		}
	}
	return p.people
}

// statistic reports whether a statement only counts for people.
func (f *finder) statistic(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	a, ok := f.access(e.X)
	return ok && f.forPeopleOnly(a.word)
}

// tuned reports whether an expression is a time that is a constant of the package, as patience is:
// a measured time that is equal to it may count as shorter or as longer, as no clock is that exact.
func (f *finder) tuned(e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	c, ok := f.info.Uses[name].(*types.Const)
	return ok && c.Pkg() == f.types && types.TypeString(c.Type(), nil) == "time.Duration"
}

// savesAttempt reports whether y, the second part of x && y, is an attempt to change a word that x
// looks at: a compare-and-swap, or an exchange. The look only saves the attempt, which fails by
// itself where the look has failed. A look at another word is a condition of its own.
func (f *finder) savesAttempt(x, y ast.Expr) (saves bool) {
	f.accesses(x, func(look access) {
		f.accesses(y, func(a access) {
			changes := a.method == "CompareAndSwap" || a.method == "Swap"
			saves = saves || changes && f.text(look.word) == f.text(a.word)
		})
	})
	return saves
}

// constant returns the value of a condition that is a constant, as pin.Exclusive is.
func (f *finder) constant(cond ast.Expr) (value, isConstant bool) {
	v := f.info.Types[cond].Value
	if v == nil || v.Kind() != constant.Bool {
		return false, false
	}
	return constant.BoolVal(v), true
}

// skipDead skips the branch of an if that the build leaves out: no test of this build runs it.
func (f *finder) skipDead(n *ast.IfStmt) {
	value, isConstant := f.constant(n.Cond)
	if !isConstant {
		return
	}
	f.skip[n.Cond] = true
	if !value {
		f.skip[n.Body] = true
	} else if n.Else != nil {
		f.skip[n.Else] = true
	}
}

// alive returns the statements of a list that the build has, and skips the others: those behind an
// if that is always taken and ends with a return.
func (f *finder) alive(list []ast.Stmt) []ast.Stmt {
	for i, s := range list {
		n, ok := s.(*ast.IfStmt)
		if !ok {
			continue
		}
		if value, isConstant := f.constant(n.Cond); !isConstant || !value || len(n.Body.List) == 0 {
			continue
		}
		if _, ends := n.Body.List[len(n.Body.List)-1].(*ast.ReturnStmt); ends {
			for _, dead := range list[i+1:] {
				f.skip[dead] = true
			}
			return list[:i+1]
		}
	}
	return list
}
