package cooperate

import (
	"go/ast"
	"go/token"
	"go/types"
)

// The weights. A unit is about one machine instruction. Work that Go's runtime does for the program
// counts as a call.
const (
	// light is the weight of an operator, an assignment, an index, a slice, a field, a dereference,
	// a conversion, or a branch.
	light = 1
	// heavy is the weight of a call without its arguments, a channel operation, a go statement, or
	// a step through a map or a channel.
	heavy = 10
)

// weigher counts the weight of code. Constants, names and types weigh nothing. Of branches the
// heaviest counts, with all conditions. Of a loop only the part that runs once counts, because its
// turns pay for themselves. A function literal weighs as much as making it.
type weigher struct{ info *types.Info }

// list weighs statements that follow each other.
func (w weigher) list(list []ast.Stmt) (n int) {
	for _, s := range list {
		n += w.stmt(s)
	}
	return n
}

func (w weigher) stmt(s ast.Stmt) int {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt, *ast.BadStmt:
		return 0
	case *ast.BlockStmt:
		return w.list(s.List)
	case *ast.LabeledStmt:
		return w.stmt(s.Stmt)
	case *ast.ExprStmt:
		return w.expr(s.X)
	case *ast.SendStmt:
		return heavy + w.expr(s.Chan) + w.expr(s.Value)
	case *ast.IncDecStmt:
		return light + w.expr(s.X)
	case *ast.AssignStmt:
		return light*len(s.Lhs) + w.exprs(s.Lhs) + w.exprs(s.Rhs)
	case *ast.GoStmt:
		return heavy + w.expr(s.Call)
	case *ast.DeferStmt:
		return light + w.expr(s.Call)
	case *ast.ReturnStmt:
		return light + w.exprs(s.Results)
	case *ast.BranchStmt:
		return light
	case *ast.DeclStmt:
		return w.decl(s)
	case *ast.IfStmt:
		return light + w.stmt(s.Init) + w.expr(s.Cond) + max(w.stmt(s.Body), w.stmt(s.Else))
	case *ast.SwitchStmt:
		return light + w.stmt(s.Init) + w.expr(s.Tag) + w.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		return light + w.stmt(s.Init) + w.stmt(s.Assign) + w.clauses(s.Body)
	case *ast.SelectStmt:
		return heavy + w.clauses(s.Body)
	case *ast.ForStmt:
		return light + w.stmt(s.Init) + w.expr(s.Cond)
	case *ast.RangeStmt:
		return light + w.expr(s.X)
	}
	return light
}

func (w weigher) decl(s *ast.DeclStmt) (n int) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return 0
	}
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			n += light*len(v.Names) + w.exprs(v.Values)
		}
	}
	return n
}

// clauses weighs the body of a switch or a select: all conditions, and the heaviest of the clauses.
// A clause that falls through includes the next clause.
func (w weigher) clauses(body *ast.BlockStmt) int {
	conditions, heaviest, next := 0, 0, 0
	for i := len(body.List) - 1; i >= 0; i-- {
		var own []ast.Stmt
		switch c := body.List[i].(type) {
		case *ast.CaseClause:
			conditions += light*len(c.List) + w.exprs(c.List)
			own = c.Body
		case *ast.CommClause:
			conditions += w.stmt(c.Comm)
			own = c.Body
		}
		weight := w.list(own)
		if len(own) > 0 {
			if b, ok := own[len(own)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				weight += next
			}
		}
		next = weight
		heaviest = max(heaviest, weight)
	}
	return conditions + heaviest
}

// turn weighs one turn of a loop.
func (w weigher) turn(loop ast.Stmt) int {
	switch s := loop.(type) {
	case *ast.ForStmt:
		return light + w.expr(s.Cond) + w.stmt(s.Post) + w.stmt(s.Body)
	case *ast.RangeStmt:
		n := light + w.stmt(s.Body)
		for _, v := range []ast.Expr{s.Key, s.Value} {
			if v != nil && !isBlank(v) {
				n += light + w.expr(v)
			}
		}
		switch under(w.info.TypeOf(s.X)).(type) {
		case *types.Map, *types.Chan, *types.Signature:
			n += heavy
		}
		return n
	}
	return light
}

func (w weigher) exprs(list []ast.Expr) (n int) {
	for _, e := range list {
		n += w.expr(e)
	}
	return n
}

func (w weigher) expr(e ast.Expr) (n int) {
	if e == nil {
		return 0
	}
	ast.Inspect(e, func(node ast.Node) bool {
		x, ok := node.(ast.Expr)
		if !ok {
			return true
		}
		if tv := w.info.Types[x]; tv.Value != nil || tv.IsType() { // constants and types
			return false
		}
		switch x := x.(type) {
		case *ast.FuncLit:
			n += light
			return false
		case *ast.CallExpr:
			n += w.call(x)
		case *ast.SelectorExpr:
			if _, isValue := w.info.Selections[x]; isValue {
				n += light
			}
		case *ast.UnaryExpr:
			n += light
			if x.Op == token.ARROW {
				n += heavy - light
			}
		case *ast.CompositeLit:
			n += light * max(1, len(x.Elts))
		case *ast.BinaryExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			n += light
		}
		return true
	})
	return n
}

// call weighs a call without its arguments.
func (w weigher) call(c *ast.CallExpr) int {
	if w.info.Types[c.Fun].IsType() || isCheapBuiltin(w.info, c) {
		return light
	}
	return heavy
}

// isCheapBuiltin reports whether the call is one of a function of the language that compiles to an
// instruction or two.
func isCheapBuiltin(info *types.Info, c *ast.CallExpr) bool {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		b, ok := info.Uses[f].(*types.Builtin)
		if !ok {
			return false
		}
		switch b.Name() {
		case "len", "cap", "min", "max", "real", "imag", "complex":
			return true
		}
	case *ast.SelectorExpr:
		b, ok := info.Uses[f.Sel].(*types.Builtin) // of package unsafe
		return ok && b != nil
	}
	return false
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// under returns the underlying type, or nil for nil.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}
