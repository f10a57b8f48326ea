package cooperate

import (
	"go/ast"
	"go/token"
	"go/types"
)

// ActivityPath is the path of the package with the type Activity.
const ActivityPath = "github.com/freerun-go/freerun/activity"

// reach knows which variables of a package hold the activity that runs the code. The documentation
// of the package has the rules.
type reach struct {
	pkg     *types.Package
	info    *types.Info
	fresh   string                  // the name for parameters without one, and for aliases
	others  map[types.Object]bool   // variables that hold other activities, as their uses show
	running map[types.Object]bool   // parameters and locals that hold the running activity
	params  map[*types.Scope]*param // by the scope of their function
	closed  map[*types.Scope]bool   // scopes of the literals in go statements
}

// param is the parameter of a function that is in reach.
type param struct {
	v       types.Object // nil if it has no name
	name    string
	body    *ast.BlockStmt
	used    bool // whether a check uses it
	aliased bool // whether it needs another name, because its own is hidden where it is used
}

func newReach(pkg *types.Package, info *types.Info, files []*ast.File, fresh string) *reach {
	r := &reach{
		pkg: pkg, info: info, fresh: fresh,
		others:  make(map[types.Object]bool),
		running: make(map[types.Object]bool),
		params:  make(map[*types.Scope]*param),
		closed:  make(map[*types.Scope]bool),
	}
	for _, f := range files {
		ast.Inspect(f, r.exclude)
	}
	for _, f := range files {
		ast.Inspect(f, r.collect)
	}
	return r
}

// isActivity reports whether t is *activity.Activity.
func isActivity(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Activity" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == ActivityPath
}

// exclude finds variables that are assigned to, whose address is taken, or that are waited for.
func (r *reach) exclude(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			r.excludeVariable(e)
		}
	case *ast.RangeStmt:
		r.excludeVariable(n.Key)
		r.excludeVariable(n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			r.excludeVariable(n.X)
		}
	case *ast.SelectorExpr:
		if n.Sel.Name == "Wait" {
			r.excludeVariable(n.X)
		}
	}
	return true
}

// excludeVariable excludes the variable that e names, unless e is its declaration.
func (r *reach) excludeVariable(e ast.Expr) {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v, ok := r.info.Uses[id].(*types.Var); ok {
			r.others[v] = true
		}
	}
}

// collect finds the variables in reach, in the order of the source, because locals may get the
// value of variables found before.
func (r *reach) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		r.function(n.Type, n.Body)
	case *ast.FuncLit:
		r.function(n.Type, n.Body)
	case *ast.GoStmt:
		ast.Inspect(n.Call, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				r.closed[r.info.Scopes[lit.Type]] = true
			}
			return true
		})
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			r.locals(n.Lhs, n.Rhs)
		}
	case *ast.DeclStmt:
		if d, ok := n.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					names := make([]ast.Expr, len(v.Names))
					for i, name := range v.Names {
						names[i] = name
					}
					r.locals(names, v.Values)
				}
			}
		}
	case *ast.CaseClause:
		if v := r.info.Implicits[n]; v != nil && isActivity(v.Type()) && !r.others[v] {
			r.running[v] = true
		}
	}
	return true
}

// function records the first parameter that holds an activity.
func (r *reach) function(t *ast.FuncType, body *ast.BlockStmt) {
	scope := r.info.Scopes[t]
	if body == nil || scope == nil {
		return
	}
	for _, field := range t.Params.List {
		if !isActivity(r.info.TypeOf(field.Type)) {
			continue
		}
		if len(field.Names) == 0 {
			r.params[scope] = &param{name: r.fresh, body: body}
			return
		}
		for _, id := range field.Names {
			if id.Name == "_" {
				r.params[scope] = &param{name: r.fresh, body: body}
				return
			}
			if v := r.info.Defs[id]; v != nil && !r.others[v] {
				r.params[scope] = &param{v: v, name: id.Name, body: body}
				r.running[v] = true
				return
			}
		}
	}
}

// locals records the variables that are declared with values that may be the running activity.
func (r *reach) locals(names, values []ast.Expr) {
	for i, e := range names {
		id, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		v := r.info.Defs[id]
		if v == nil || id.Name == "_" || !isActivity(v.Type()) || r.others[v] {
			continue
		}
		switch {
		case len(values) == len(names) && r.mayRun(values[i]):
			r.running[v] = true
		case len(values) == 1 && i == 0 && r.mayRun(values[0]): // a, ok := x.(*activity.Activity)
			r.running[v] = true
		}
	}
}

// mayRun reports whether the value may be the running activity. It may not if the activity was just
// started, is one of many, or came from an unknown function.
func (r *reach) mayRun(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return r.running[r.info.Uses[e]]
	case *ast.SelectorExpr, *ast.TypeAssertExpr:
		return true
	case *ast.CallExpr:
		if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
			f, ok := r.info.Uses[s.Sel].(*types.Func)
			return ok && f.Name() == "Of" && f.Pkg() != nil && f.Pkg().Path() == ActivityPath
		}
	}
	return false
}

// at returns the name under which the running activity is in reach at pos, or "" if there is none.
func (r *reach) at(pos token.Pos) string {
	name, _ := r.find(pos)
	return name
}

// use returns the same as at, and notes that a check uses the parameter. It is for a check that is
// inserted there.
func (r *reach) use(pos token.Pos) string {
	name, p := r.find(pos)
	if p != nil {
		p.used = true
		p.aliased = p.aliased || p.v != nil && name == r.fresh
	}
	return name
}

// find returns the name under which the running activity is in reach at pos, and the parameter that
// it is; nil if it is a local variable.
func (r *reach) find(pos token.Pos) (name string, p *param) {
	innermost := r.pkg.Scope().Innermost(pos)
	for s := innermost; s != nil && s != r.pkg.Scope(); s = s.Parent() {
		if p := r.params[s]; p != nil {
			if p.v == nil || visible(innermost, p.v, pos) {
				return p.name, p
			}
			return r.fresh, p
		}
		for _, name := range s.Names() {
			if v := s.Lookup(name); r.running[v] && visible(innermost, v, pos) {
				return name, nil
			}
		}
		if r.closed[s] {
			return "", nil
		}
	}
	return "", nil
}

// visible reports whether the name of v means v at pos.
func visible(innermost *types.Scope, v types.Object, pos token.Pos) bool {
	_, found := innermost.LookupParent(v.Name(), pos)
	return found == v
}
