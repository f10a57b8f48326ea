package cooperate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"strings"
)

// batch is the greatest weight between two checks in a loop that is cut into pieces: a fifteenth of
// a quantum, some microseconds.
const batch = 4096

// A check in each turn of a small innermost loop can cost as much as the body: a decrement in
// memory, and registers that must be free for the call. So a loop whose number of turns is known
// beforehand is cut into pieces:
//
//	for k := 0; k < n; k++ { sum += x[k] * y[k] }
//
// becomes
//
//	for k := 0; k < n; {
//		end := n; if n-k > 682 { end = k + 682 }
//		a.CheckInserted((end - k) * 6)
//		for ; k < end; k++ { sum += x[k] * y[k] }
//	}
//
// A range over an integer or a slice is cut likewise. (Conversions are left out here, and the text
// has no line breaks.) The inner loop has no check at all. The check before each piece pays the
// weight of its turns.
//
// Some loops would behave differently, and keep a check in each turn: those with a way out of the
// loop, a call, a label, another loop, an address that is taken, a bound that the body changes, or
// operations whose time is not bounded by a few instructions, see [rewriter.isSmall].
//
// The distance to the bound is computed in uint64. It cannot overflow there, because k < n. From
// this form the compiler makes the same inner loop, instruction by instruction, as without checks;
// min instead of if costs registers.

// inPieces cuts the loop into pieces if that is possible, and reports whether it has.
func (r *rewriter) inPieces(loop ast.Stmt) bool {
	weight := r.turn(loop)
	turns := batch / weight
	if r.labeled[loop] || turns < 4 || !r.builtin(loop.Pos(), "min", "len", "uint64", "int32") {
		return false
	}
	switch l := loop.(type) {
	case *ast.ForStmt:
		return r.isSmall(l.Body) && r.countedInPieces(l, turns, weight)
	case *ast.RangeStmt:
		if !r.isSmall(l.Body) || (l.Key != nil && l.Tok != token.DEFINE) {
			return false
		}
		if l.Value != nil {
			return r.sliceInPieces(l, turns, weight)
		}
		return r.rangeInPieces(l, turns, weight)
	}
	return false
}

// builtin reports whether these names have the meaning at pos that the language gives them.
func (r *rewriter) builtin(pos token.Pos, names ...string) bool {
	if v := r.Types.GoVersion(); v != "" && version.Compare(v, "go1.21") < 0 { // before min
		return false
	}
	innermost := r.Types.Scope().Innermost(pos)
	for _, name := range names {
		if s, _ := innermost.LookupParent(name, pos); s != types.Universe {
			return false
		}
	}
	return true
}

// counter returns the name and the type of a loop's counter, if that is a variable of one of the
// language's integer types that the body does not change.
func (r *rewriter) counter(key ast.Expr, body *ast.BlockStmt) (name, typ string, ok bool) {
	id, ok := key.(*ast.Ident)
	if !ok || id.Name == "_" {
		return "", "", false
	}
	v := r.info.Defs[id]
	if v == nil {
		return "", "", false
	}
	basic, ok := types.Unalias(v.Type()).(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 || r.changes(body).has(v) || !r.builtin(id.Pos(), basic.Name()) {
		return "", "", false
	}
	return id.Name, basic.Name(), true
}

// countedInPieces cuts a loop of the form for k := first; k < bound; k++.
func (r *rewriter) countedInPieces(l *ast.ForStmt, turns, weight int) bool {
	init, ok := l.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return false
	}
	k, typ, ok := r.counter(init.Lhs[0], l.Body)
	if !ok {
		return false
	}
	isCounter := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && r.info.Uses[id] == r.info.Defs[init.Lhs[0].(*ast.Ident)]
	}
	cond, ok := l.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS || !isCounter(cond.X) || !r.fixed(cond.Y, r.changes(l.Body)) {
		return false
	}
	if post, ok := l.Post.(*ast.IncDecStmt); !ok || post.Tok != token.INC || !isCounter(post.X) {
		return false
	}
	bound := r.text(cond.Y.Pos(), cond.Y.End())
	if strings.Contains(bound, "\n") {
		return false
	}
	r.cut(l.Post.Pos(), l.Body, piece{k, typ, bound, turns, weight})
	return true
}

// rangeInPieces cuts a loop over an integer, or over the indices of an array or a slice.
func (r *rewriter) rangeInPieces(l *ast.RangeStmt, turns, weight int) bool {
	k, typ, from := r.fresh("freerunIndex"), "int", l.Range
	opening, closing := "(", ")"
	switch t := under(r.info.TypeOf(l.X)).(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 {
			return false
		}
		if typ = t.Name(); t.Info()&types.IsUntyped != 0 {
			typ = "int"
		}
	case *types.Slice, *types.Array:
		opening, closing = "(len(", "))"
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Array); !ok {
			return false
		}
		opening, closing = "(len(", "))"
	default:
		return false
	}
	if l.Key != nil {
		var ok bool
		if k, typ, ok = r.counter(l.Key, l.Body); !ok {
			return false
		}
		from = l.Key.Pos()
	} else if !r.builtin(l.Pos(), typ) {
		return false
	}
	bound := r.fresh("freerunBound")
	r.replace(from, l.X.Pos(), fmt.Sprintf("%s, %s := %s(0), %s%s", k, bound, typ, typ, opening))
	r.insert(l.X.End(), fmt.Sprintf("%s; %s < %s; ", closing, k, bound))
	r.cut(l.X.End(), l.Body, piece{k, typ, bound, turns, weight})
	return true
}

// piece holds the parts of the text of a loop over a piece.
type piece struct {
	counter, typ, bound string
	turns, weight       int
}

// cut inserts the loop over a piece between from, where the outer loop is complete but for its
// body, and the body.
func (r *rewriter) cut(from token.Pos, body *ast.BlockStmt, p piece) {
	end := r.fresh("freerunEnd")
	turns := p.turns
	if p.typ == "int8" || p.typ == "uint8" || p.typ == "byte" {
		turns = min(turns, 100)
	}
	r.replace(from, body.Lbrace+1, fmt.Sprintf("{ %[1]s := %[3]s(%[4]s); if uint64(%[1]s)-uint64(%[2]s) > %[5]d { %[1]s = %[2]s + %[5]d };%[6]s for ; %[2]s < %[1]s; %[2]s++ {",
		end, p.counter, p.typ, p.bound, turns,
		r.check(body.Lbrace+1, fmt.Sprintf("(int32(%s)-int32(%s))*%d", end, p.counter, p.weight))))
	r.insert(body.Rbrace+1, "}")
}

// sliceInPieces cuts a loop over the elements of a slice, with or without their indices.
func (r *rewriter) sliceInPieces(l *ast.RangeStmt, turns, weight int) bool {
	if _, ok := under(r.info.TypeOf(l.X)).(*types.Slice); !ok || r.isLarge(r.info.TypeOf(l.Value)) {
		return false
	}
	variables := r.text(l.Key.Pos(), l.Value.End())
	if strings.Contains(variables, "\n") {
		return false
	}
	at := ""
	first := r.fresh("freerunFirst")
	if !isBlank(l.Key) {
		id, ok := l.Key.(*ast.Ident)
		if !ok || !r.builtin(l.Pos(), "int") {
			return false
		}
		at = fmt.Sprintf(" %s += %s;", id.Name, first)
	}
	whole, part := r.fresh("freerunSlice"), r.fresh("freerunPiece")
	r.replace(l.Key.Pos(), l.X.Pos(), fmt.Sprintf("%s, %s := 0, ", first, whole))
	r.replace(l.X.End(), l.Body.Lbrace+1, fmt.Sprintf(
		"; %[1]s < len(%[2]s); %[1]s += %[3]d { %[4]s := %[2]s[%[1]s:min(%[1]s+%[3]d, len(%[2]s))];%[5]s for %[6]s := range %[4]s {%[7]s",
		first, whole, turns, part, r.check(l.Body.Lbrace+1, fmt.Sprintf("int32(len(%s))*%d", part, weight)),
		variables, at))
	r.insert(l.Body.Rbrace+1, "}")
	return true
}
