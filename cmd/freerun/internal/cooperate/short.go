package cooperate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

// shortest is the greatest number of turns of a loop that needs no poll.
const shortest = 256

// bounds finds loops that are short: those that end after a few turns, as their heads tell, and do
// in each turn only what takes a bounded time. info is nil where types are not known; then only
// what the syntax says counts.
type bounds struct {
	info  *types.Info
	sizes types.Sizes // of the machine, where types are known
}

// isShort reports whether a loop needs no poll.
func (b bounds) isShort(loop ast.Stmt) bool { return b.all(loop) <= shortest }

// all returns the number of turns of a loop and of the loops in it, or more than shortest if it is
// not known. A loop in it that is not short has polls of its own, so only the turn counts.
func (b bounds) all(loop ast.Stmt) int {
	var body *ast.BlockStmt
	turns, ok := 0, false
	switch l := loop.(type) {
	case *ast.ForStmt:
		body = l.Body
		turns, ok = b.counted(l)
	case *ast.RangeStmt:
		body = l.Body
		turns, ok = b.ranged(l.X)
	}
	if !ok || turns > shortest {
		return shortest + 1
	}
	each := 1
	var add func(n ast.Node) bool
	add = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if inner := b.all(n); inner <= shortest {
				each += inner
			}
			if n.Init != nil {
				ast.Inspect(n.Init, add)
			}
			return false
		case *ast.RangeStmt:
			if inner := b.all(n); inner <= shortest {
				each += inner
			}
			ast.Inspect(n.X, add)
			return false
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if !b.isCheap(n) {
				each = shortest + 1
			}
		case *ast.SelectStmt, *ast.SendStmt:
			each = shortest + 1
		case *ast.BinaryExpr:
			if each += b.copied(n.X); b.readsTexts(n) {
				each = shortest + 1
			}
		case *ast.AssignStmt:
			for _, e := range n.Rhs {
				each += b.copied(e)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				each = shortest + 1
			}
		}
		return true
	}
	ast.Inspect(body, add)
	return min(turns*each, shortest+1)
}

// copied returns what copying a value, or comparing it with another, counts: nothing for one of few
// words. Where types are not known, nothing counts.
func (b bounds) copied(e ast.Expr) int {
	if b.info == nil {
		return 0
	}
	t := b.info.TypeOf(e)
	switch under(t).(type) {
	case *types.Array, *types.Struct:
		if hasTypeParam(t) {
			return shortest + 1
		}
		return int(min(b.sizes.Sizeof(t)/64, shortest+1))
	}
	return 0
}

// readsTexts reports whether an operator adds or compares texts, of which nobody knows how long
// they are. Where types are not known, it says that none does.
func (b bounds) readsTexts(x *ast.BinaryExpr) bool {
	constant := func(e ast.Expr) bool { return b.info.Types[e].Value != nil }
	if b.info == nil || constant(x) || x.Op != token.ADD && (constant(x.X) || constant(x.Y)) {
		return false
	}
	t, ok := under(b.info.TypeOf(x.X)).(*types.Basic)
	return ok && t.Info()&types.IsString != 0
}

// ranged returns the greatest number of turns of a range over x.
func (b bounds) ranged(x ast.Expr) (int, bool) {
	if n, ok := b.number(x); ok {
		return n, true
	}
	if b.info != nil {
		t := under(b.info.TypeOf(x))
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem().Underlying()
		}
		if a, ok := t.(*types.Array); ok && a.Len() >= 0 && a.Len() <= shortest {
			return int(a.Len()), true
		}
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return b.elements(x)
	case *ast.Ident:
		if x.Obj == nil {
			return 0, false
		}
		switch d := x.Obj.Decl.(type) { // a variable, or a parameter
		case *ast.ValueSpec:
			return b.array(d.Type)
		case *ast.Field:
			return b.array(d.Type)
		}
	}
	return 0, false
}

// elements returns the number of elements of a literal of an array or a slice.
func (b bounds) elements(x *ast.CompositeLit) (int, bool) {
	t, ok := x.Type.(*ast.ArrayType)
	if !ok {
		return 0, false
	}
	if _, open := t.Len.(*ast.Ellipsis); t.Len != nil && !open {
		return b.number(t.Len)
	}
	for _, e := range x.Elts {
		if _, ok := e.(*ast.KeyValueExpr); ok { // the key can be large
			return 0, false
		}
	}
	return len(x.Elts), true
}

// array returns the length of a type that is an array.
func (b bounds) array(t ast.Expr) (int, bool) {
	a, ok := t.(*ast.ArrayType)
	if !ok || a.Len == nil {
		return 0, false
	}
	return b.number(a.Len)
}

// counted returns the greatest number of turns of a loop that counts from one constant up or down
// to another.
func (b bounds) counted(l *ast.ForStmt) (int, bool) {
	init, ok := l.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return 0, false
	}
	id, ok := init.Lhs[0].(*ast.Ident)
	if !ok || !b.isWide(id) || b.changes(l.Body, id.Name) {
		return 0, false
	}
	is := func(e ast.Expr) bool { x, ok := e.(*ast.Ident); return ok && x.Name == id.Name }
	cond, ok := l.Cond.(*ast.BinaryExpr)
	if !ok || !is(cond.X) {
		return 0, false
	}
	post, ok := l.Post.(*ast.IncDecStmt)
	if !ok || !is(post.X) {
		return 0, false
	}
	first, ok := b.number(init.Rhs[0])
	last, ok2 := b.number(cond.Y)
	if !ok || !ok2 {
		return 0, false
	}
	switch up := post.Tok == token.INC; {
	case up && cond.Op == token.LSS:
		return max(last-first, 0), true
	case up && cond.Op == token.LEQ:
		return max(last-first+1, 0), true
	case !up && cond.Op == token.GTR:
		return max(first-last, 0), true
	case !up && cond.Op == token.GEQ:
		return max(first-last+1, 0), true
	}
	return 0, false
}

// isWide reports whether a counter that begins with a small constant cannot wrap around. A literal
// number is an int.
func (b bounds) isWide(counter *ast.Ident) bool {
	if b.info == nil {
		return true
	}
	v := b.info.Defs[counter]
	if v == nil {
		return false
	}
	basic, ok := under(v.Type()).(*types.Basic)
	return ok && (basic.Kind() == types.Int || basic.Kind() == types.Int32 || basic.Kind() == types.Int64)
}

// changes reports whether the body may change the variable of that name.
func (b bounds) changes(body *ast.BlockStmt, name string) (changed bool) {
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && id.Name == name
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				changed = changed || is(e)
			}
		case *ast.IncDecStmt:
			changed = changed || is(n.X)
		case *ast.UnaryExpr:
			changed = changed || n.Op == token.AND && is(n.X)
		case *ast.RangeStmt:
			changed = changed || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		}
		return true
	})
	return changed
}

// number returns the value of a constant integer that is not negative and not large.
func (b bounds) number(e ast.Expr) (int, bool) {
	if b.info != nil {
		v := b.info.Types[e].Value
		if v == nil || v.Kind() != constant.Int {
			return 0, false
		}
		n, exact := constant.Int64Val(v)
		return int(n), exact && n >= 0 && n <= 1<<30
	}
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return 0, false
	}
	n, err := strconv.ParseInt(lit.Value, 0, 32)
	return int(n), err == nil && n <= 1<<30
}

// numeric are the types whose conversions take an instruction, and the functions of the language
// that do.
var numeric = map[string]bool{
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true, "uint16": true, "uint32": true,
	"uint64": true, "uintptr": true, "byte": true, "rune": true, "float32": true, "float64": true, "len": true, "cap": true,
}

// isCheap reports whether a call is a conversion between numbers, or of a function of the language
// that takes an instruction or two.
func (b bounds) isCheap(c *ast.CallExpr) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || !numeric[id.Name] {
		return false
	}
	if b.info == nil {
		return id.Obj == nil
	}
	o := b.info.Uses[id]
	return o != nil && o.Parent() == types.Universe
}
