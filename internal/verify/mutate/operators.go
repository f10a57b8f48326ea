package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// The operators, with their turns: in a round of the choice an operator gets as many mutations.
var operators = []struct {
	name  string
	turns int
	what  string
}{
	{"swap", 3, "an atomic write changes places with the statement behind it"},
	{"drop-write", 2, "an atomic write is left out"},
	{"drop-look", 3, "an if with a call or an atomic read in its condition is never taken: no second look"},
	{"drop-branch", 1, "any other if is never taken: no early return"},
	{"drop-call", 2, "a call whose result is not used is left out: no wake-up, no fence, no unlock"},
	{"cas-split", 2, "a compare-and-swap becomes a load and a store"},
	{"cas-blind", 2, "a compare-and-swap that fails counts as one that succeeds: no retry"},
	{"cas-denied", 1, "a compare-and-swap that succeeds counts as one that fails: retry for ever"},
	{"load-zero", 2, "an atomic load returns zero"},
	{"add-sign", 1, "an atomic Add subtracts"},
	{"add-amount", 1, "an atomic Add adds one more"},
	{"negate", 1, "a condition is negated"},
	{"drop-term", 2, "of a && b, or a || b, only a or b is left"},
	{"boundary", 1, "a comparison includes the boundary, or excludes it"},
	{"off-by-one", 2, "x+1 and x-1 become x"},
	{"bits", 1, "x|y and x&^y become x"},
	{"leave-loop", 1, "continue becomes break"},
	{"return-other", 1, "return true becomes return false, and the other way round"},
}

// A finder collects the mutations of one file.
type finder struct {
	*Package
	room   string
	name   string // of the file, relative to the root of the tree
	file   *token.File
	source []byte
	around string // the function
	body   *ast.BlockStmt
	skip   map[ast.Node]bool
	found  []Mutation
}

// mutations returns all changes that the operators make in the files of a room, in the order of the
// files and of the places in them. Some do not compile.
func (p *Package) mutations(r Room) []Mutation {
	var all []Mutation
	for i, syntax := range p.files {
		if !r.has(p.names[i]) || !concurrent(syntax) {
			continue
		}
		f := &finder{
			Package: p, room: r.Name, name: p.file(p.names[i]), file: p.fset.File(syntax.FileStart),
			source: p.source[p.names[i]], skip: map[ast.Node]bool{},
		}
		for _, d := range syntax.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil || forPeople(d.Name.Name) {
				continue
			}
			f.around, f.body = d.Name.Name, d.Body
			if d.Recv != nil {
				f.around = strings.TrimPrefix(receiver(d.Recv.List[0].Type), "*") + "." + f.around
			}
			ast.Inspect(d.Body, f.visit)
		}
		all = append(all, f.found...)
	}
	number(all)
	return all
}

// concurrent reports whether a file imports what synchronises goroutines.
func concurrent(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(s.Path.Value)
		return path == "sync/atomic" || path == "sync" || strings.Contains(path, "/internal/sync/")
	})
}

// forPeople reports whether a function only describes.
func forPeople(name string) bool {
	return slices.Contains([]string{"String", "GoString", "Format", "Stats", "Error"}, name)
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

func (f *finder) at(p token.Pos) int { return f.file.Offset(p) }

func (f *finder) text(n ast.Node) string { return string(f.source[f.at(n.Pos()):f.at(n.End())]) }

// add adds a mutation of the place n: the text that stands there afterwards.
func (f *finder) add(operator string, n ast.Node, after string) {
	said := after
	if after == "" {
		said = "(nothing)"
	}
	f.edit(operator, n, said, Edit{f.at(n.Pos()), f.at(n.End()), after})
}

func (f *finder) edit(operator string, n ast.Node, after string, edits ...Edit) {
	f.found = append(f.found, Mutation{
		Room: f.room, File: f.name, Path: f.path, Line: f.file.Line(n.Pos()), Last: f.file.Line(n.End()), Func: f.around,
		Operator: operator, Before: oneLine(f.text(n)), After: oneLine(after), Edits: edits,
	})
}

// visit finds the mutations that begin at a node.
func (f *finder) visit(n ast.Node) bool {
	if n == nil || f.skip[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.IfStmt:
		f.branch(n)
		f.skipDead(n)
		return f.info.Types[n.Cond].Value != nil || !f.misuse(n)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.add("negate", n.Cond, "!("+f.text(n.Cond)+")")
		}
		if post, ok := n.Post.(*ast.ExprStmt); ok {
			if call, ok := post.X.(*ast.CallExpr); ok && f.quiet(call) {
				f.skip[n.Post] = true
			}
		}
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE && n.Label == nil {
			f.add("leave-loop", n, "break")
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			if name, ok := e.(*ast.Ident); ok && (name.Name == "true" || name.Name == "false") {
				f.add("return-other", name, map[string]string{"true": "false", "false": "true"}[name.Name])
			}
		}
	case *ast.CallExpr:
		if f.quiet(n) {
			return false
		}
		f.word(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.FuncLit:
		return true
	}
	return true
}

// branch finds the mutations of an if.
func (f *finder) branch(n *ast.IfStmt) {
	if f.misuse(n) {
		return
	}
	operator := "drop-branch"
	if f.looksIn(n.Cond) || n.Init != nil && f.looksIn(n.Init) {
		operator = "drop-look"
	}
	f.add(operator, n.Cond, "("+f.text(n.Cond)+") && false")
	f.add("negate", n.Cond, "!("+f.text(n.Cond)+")")
}

// misuse reports whether an if only guards a panic, which is for a caller's mistake, or makes only
// quiet calls. An if whose condition is a constant only chooses between builds.
func (f *finder) misuse(n *ast.IfStmt) bool {
	return f.info.Types[n.Cond].Value != nil || n.Else == nil && f.quietList(n.Body.List, 3)
}

// statements finds the mutations of single statements and of neighbours in a list.
func (f *finder) statements(list []ast.Stmt) {
	list = f.alive(list)
	for i, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			f.drop(s, s.X)
		case *ast.DeferStmt:
			f.drop(s, s.Call)
		}
		if i+1 < len(list) && f.exchangeable(s) && f.exchangeable(list[i+1]) && (f.writesIn(s) || f.writesIn(list[i+1])) &&
			!f.unpublished(s, list[i+1]) && !f.statistic(s) && !f.statistic(list[i+1]) {
			next := list[i+1]
			between := string(f.source[f.at(s.End()):f.at(next.Pos())])
			f.found = append(f.found, Mutation{
				Room: f.room, File: f.name, Path: f.path, Line: f.file.Line(s.Pos()), Last: f.file.Line(next.End()), Func: f.around,
				Operator: "swap", Before: oneLine(f.text(s) + "; " + f.text(next)), After: oneLine(f.text(next) + "; " + f.text(s)),
				Edits: []Edit{{f.at(s.Pos()), f.at(next.End()), f.text(next) + between + f.text(s)}},
			})
		}
	}
}

// drop finds the mutation that leaves out a call.
func (f *finder) drop(s ast.Stmt, e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if !ok || f.quiet(call) || f.statistic(s) {
		return
	}
	operator := "drop-call"
	if a, ok := f.access(call); ok && a.writes() {
		operator = "drop-write"
	}
	f.add(operator, s, "")
}

// exchangeable reports whether a statement calls something that is not quiet, as an access of an
// atomic word does, and goes on to the next one. The order of two statements does not matter if one
// of them only computes.
func (f *finder) exchangeable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && !f.quiet(call)
	case *ast.AssignStmt:
		return f.looksIn(s)
	case *ast.IfStmt:
		return !f.misuse(s) && (f.looksIn(s.Cond) || s.Init != nil && f.looksIn(s.Init))
	}
	return false
}

// word finds the mutations of a call of a method of an atomic word.
func (f *finder) word(n *ast.CallExpr) {
	a, ok := f.access(n)
	if !ok {
		return
	}
	here, word := f.text(n), f.text(a.word)
	switch a.method {
	case "CompareAndSwap":
		if len(n.Args) == 2 {
			old, v := f.text(n.Args[0]), f.text(n.Args[1])
			f.add("cas-split", n, "func() bool { if "+word+".Load() != ("+old+") { return false }; "+word+".Store("+v+"); return true }()")
			f.add("cas-blind", n, "("+here+" || true)")
			f.add("cas-denied", n, "("+here+" && false)")
		}
	case "Load", "LoadAcquire":
		f.zero(n, here)
	case "Add":
		if len(n.Args) == 1 && !f.forPeopleOnly(a.word) {
			f.amount(n, word, n.Args[0])
		}
	}
}

func (f *finder) zero(n *ast.CallExpr, here string) {
	t := f.info.Types[n].Type
	if t == nil {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsInteger != 0:
			f.add("load-zero", n, "("+here+" & 0)")
		case u.Info()&types.IsBoolean != 0:
			f.add("load-zero", n, "("+here+" && false)")
		}
	case *types.Pointer:
		name := types.TypeString(t, func(p *types.Package) string {
			if p.Path() == f.path {
				return ""
			}
			return p.Name()
		})
		f.add("load-zero", n, "("+name+")(nil)")
	}
}

func (f *finder) amount(n *ast.CallExpr, word string, by ast.Expr) {
	t := f.info.Types[n].Type
	if t == nil {
		return
	}
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		return
	}
	amount := f.text(by)
	f.add("add-amount", n, word+".Add("+amount+" + 1)")
	if basic.Info()&types.IsUnsigned != 0 {
		f.add("add-sign", n, word+".Add(^("+basic.Name()+"("+amount+") - 1))")
	} else {
		f.add("add-sign", n, word+".Add(-("+amount+"))")
	}
}

// others are the comparisons that differ only at the boundary.
var others = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

// binary finds the mutations of an operation with two operands.
func (f *finder) binary(n *ast.BinaryExpr) {
	x, y := f.text(n.X), f.text(n.Y)
	switch n.Op {
	case token.LAND, token.LOR:
		f.add("drop-term", n, x)
		if n.Op == token.LOR || !f.savesAttempt(n.X, n.Y) {
			f.add("drop-term", n, y)
		}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if f.tuned(n.X) || f.tuned(n.Y) {
			return
		}
		f.add("boundary", n, x+" "+others[n.Op]+" "+y)
	case token.ADD, token.SUB:
		if one, ok := n.Y.(*ast.BasicLit); ok && one.Value == "1" {
			f.add("off-by-one", n, x)
		}
	case token.OR, token.AND_NOT:
		f.add("bits", n, x)
	}
}
