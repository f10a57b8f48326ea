package cooperate

import (
	"go/ast"
	"go/token"
	"go/types"
)

// bounded are packages whose functions each take a bounded time.
var bounded = map[string]bool{"math": true, "math/bits": true, "math/cmplx": true}

// isSmall reports whether the body of a loop may run several times between two checks. Such a body
// runs to its end each time, and leaves early only by continue. It calls only functions that take a
// bounded time. It does nothing whose time depends on the length of a text, a map or a large value.
func (r *rewriter) isSmall(body *ast.BlockStmt) bool {
	small := true
	var switches []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ReturnStmt, *ast.LabeledStmt:
			small = false
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			switches = append(switches, n)
		case *ast.BranchStmt:
			small = small && r.staysInside(n, switches)
		case *ast.UnaryExpr:
			small = small && n.Op != token.AND && n.Op != token.ARROW
		case *ast.BinaryExpr:
			small = small && r.isSimple(r.info.TypeOf(n.X)) && r.isSimple(r.info.TypeOf(n.Y))
		case *ast.IndexExpr:
			_, isMap := under(r.info.TypeOf(n.X)).(*types.Map)
			small = small && !isMap
		case *ast.CompositeLit:
			small = small && !r.isLarge(r.info.TypeOf(n))
		case *ast.AssignStmt:
			for _, e := range n.Rhs {
				small = small && !r.isLarge(r.info.TypeOf(e))
			}
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				small = small && r.isSimple(r.info.TypeOf(n.Lhs[0]))
			}
		case *ast.CallExpr:
			small = small && r.isBounded(n)
		}
		return small
	})
	return small
}

// staysInside reports whether a branch leads to a place inside the body, or to its next turn.
func (r *rewriter) staysInside(b *ast.BranchStmt, switches []ast.Node) bool {
	switch {
	case b.Label != nil || b.Tok == token.GOTO:
		return false
	case b.Tok == token.BREAK: // of a switch
		for _, s := range switches {
			if s.Pos() <= b.Pos() && b.End() <= s.End() {
				return true
			}
		}
		return false
	}
	return true
}

// isBounded reports whether a call takes a bounded time: a conversion between simple types, or a
// call of a function of the language or of a bounded package.
func (r *rewriter) isBounded(c *ast.CallExpr) bool {
	if r.info.Types[c.Fun].IsType() {
		return len(c.Args) == 1 && r.isSimple(r.info.TypeOf(c)) && r.isSimple(r.info.TypeOf(c.Args[0]))
	}
	if isCheapBuiltin(r.info, c) {
		for _, arg := range c.Args { // min and max of texts take an unbounded time
			if id, ok := c.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") && !r.isSimple(r.info.TypeOf(arg)) {
				return false
			}
		}
		return true
	}
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := r.info.Uses[s.Sel].(*types.Func)
	return ok && f.Pkg() != nil && bounded[f.Pkg().Path()] && f.Signature().Recv() == nil
}

// isSimple reports whether operators on t are an instruction or a few. They are on numbers,
// booleans and pointers, and on a type parameter whose types are all simple.
func (r *rewriter) isSimple(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return r.allSimple(p.Constraint())
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString == 0
	case *types.Pointer:
		return true
	}
	return false
}

// allSimple reports whether a constraint has a list of types, all of them simple.
func (r *rewriter) allSimple(constraint types.Type) bool {
	i, ok := under(constraint).(*types.Interface)
	if !ok {
		return r.isSimple(constraint)
	}
	for n := range i.NumEmbeddeds() { // a type must be in all of them, so one simple list is enough
		switch e := types.Unalias(i.EmbeddedType(n)).(type) {
		case *types.Union:
			simple := e.Len() > 0
			for k := range e.Len() {
				simple = simple && r.allSimple(e.Term(k).Type())
			}
			if simple {
				return true
			}
		default:
			if r.allSimple(e) {
				return true
			}
		}
	}
	return false
}

// isLarge reports whether copying a value may take longer than a few instructions. A value of a
// type parameter counts as large unless all types of the parameter are simple.
func (r *rewriter) isLarge(t types.Type) bool {
	switch under(t).(type) {
	case *types.Array, *types.Struct:
		return hasTypeParam(t) || r.Sizes.Sizeof(t) > 128
	case *types.Interface:
		p, ok := types.Unalias(t).(*types.TypeParam)
		return ok && !r.allSimple(p.Constraint())
	case *types.Map:
		return false
	}
	return false
}

// hasTypeParam reports whether the size of an array or a struct depends on a type parameter.
func hasTypeParam(t types.Type) bool {
	switch t := under(t).(type) {
	case *types.Array:
		return hasTypeParam(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if hasTypeParam(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		return true
	}
	return false
}

// changes are the variables that the body of a loop assigns to.
type changes struct {
	objects  map[types.Object]bool // variables, and fields of any struct
	pointers bool                  // whether it assigns through a pointer
	wholes   bool                  // whether it assigns a struct or an array as a whole
}

func (c changes) has(o types.Object) bool { return c.objects[o] }

func (r *rewriter) changes(body *ast.BlockStmt) changes {
	c := changes{objects: make(map[types.Object]bool)}
	assigned := func(e ast.Expr) {
		switch under(r.info.TypeOf(e)).(type) {
		case *types.Struct, *types.Array, *types.Interface:
			c.wholes = true
		}
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			c.objects[r.info.Uses[e]] = true
		case *ast.SelectorExpr:
			c.objects[r.info.Uses[e.Sel]] = true
		case *ast.StarExpr:
			c.pointers = true
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				assigned(e)
			}
		case *ast.IncDecStmt:
			assigned(n.X)
		}
		return true
	})
	return c
}

// fixed reports whether a bound has the same value in all turns of a loop. Such a bound consists of
// constants, variables, fields and lengths that the body does not change. The body has no calls, so
// no other function changes them either.
func (r *rewriter) fixed(e ast.Expr, c changes) bool {
	if tv := r.info.Types[e]; tv.Value != nil {
		return r.isInteger(tv.Type) && tv.Value.String()[0] != '-'
	}
	if !r.isInteger(r.info.TypeOf(e)) || c.pointers {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL:
			return r.operand(e.X, c) && r.operand(e.Y, c)
		}
		return false
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		if !ok || len(e.Args) != 1 {
			return false
		}
		b, ok := r.info.Uses[id].(*types.Builtin)
		return ok && b.Name() == "len" && r.variable(e.Args[0], c)
	default:
		return r.variable(e, c)
	}
}

// operand is like fixed, but accepts a negative constant too.
func (r *rewriter) operand(e ast.Expr, c changes) bool {
	return r.info.Types[e].Value != nil || r.fixed(e, c)
}

// variable reports whether e is an unchanged variable, or an unchanged field of one.
func (r *rewriter) variable(e ast.Expr, c changes) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := r.info.Uses[e].(*types.Var)
		return ok && !c.has(v)
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		return s != nil && s.Kind() == types.FieldVal && !c.has(s.Obj()) && !c.wholes && r.variable(e.X, c)
	}
	return false
}

// isInteger reports whether t is an integer type, or the type of a constant that can become an
// integer.
func (r *rewriter) isInteger(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
