package cooperate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// A Package is a package to rewrite: its source with its types. Without types there are no checks:
// only the names of exempt functions are noted.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	// Sources are the texts of the files, in their order.
	Sources [][]byte
	Types   *types.Package
	Info    *types.Info
	Sizes   types.Sizes
	// Path is the path of the package, as the names of its functions have it.
	Path string
	// Preempted says that there are no checks at the heads of functions: see [Request].
	Preempted bool
}

// exemption is the line in a function's doc comment that exempts it.
const exemption = "//freerun:uncooperative"

// Rewrite returns the texts of the files with checks, and nil for files that need none. The error
// names a directive in a wrong place.
func (p *Package) Rewrite() ([][]byte, error) {
	for _, f := range p.Files {
		if err := p.misplaced(f); err != nil {
			return nil, err
		}
	}
	fresh := p.fresh()
	var known *reach
	if p.Types != nil {
		known = newReach(p.Types, p.Info, p.Files, fresh("freerunActivity"))
	}
	texts := make([][]byte, len(p.Files))
	for i, f := range p.Files {
		r := &rewriter{
			Package: p, reach: known, fresh: fresh, weigher: weigher{p.Info},
			editor:  editor{file: p.Fset.File(f.FileStart), source: p.Sources[i]},
			labels:  make(map[types.Object]place),
			labeled: make(map[ast.Stmt]bool),
		}
		if known != nil {
			for _, d := range f.Decls {
				ast.Inspect(d, r.visit)
			}
			r.rename()
		}
		r.noteExempt(f)
		texts[i] = r.result(f.Package)
	}
	return texts, nil
}

// fresh returns a function that makes a name into one that no file of the package has.
func (p *Package) fresh() func(name string) string {
	taken := make(map[string]bool)
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				taken[id.Name] = true
			}
			return true
		})
	}
	return func(name string) string {
		for taken[name] {
			name += "_"
		}
		return name
	}
}

// rewriter inserts the checks of one file.
type rewriter struct {
	*Package
	weigher
	editor
	reach   *reach
	fresh   func(name string) string
	labels  map[types.Object]place
	labeled map[ast.Stmt]bool
	params  []paramOf // of the functions of this file that have one
}

// paramOf is a parameter that is in reach, and the type of its function.
type paramOf struct {
	*param
	function *ast.FuncType
}

// place is the place of a label: before list[index].
type place struct {
	list  []ast.Stmt
	index int
}

func (r *rewriter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Body == nil || exempt(n) {
			return false
		}
		r.head(n.Type, n.Body)
	case *ast.FuncLit:
		r.head(n.Type, n.Body)
	case *ast.BlockStmt:
		r.note(n.List)
	case *ast.CaseClause:
		r.note(n.Body)
	case *ast.CommClause:
		r.note(n.Body)
	case *ast.LabeledStmt:
		r.labeled[n.Stmt] = true
	case *ast.ForStmt:
		r.loop(n, n.Body)
	case *ast.RangeStmt:
		r.loop(n, n.Body)
	case *ast.BranchStmt:
		r.jump(n)
	}
	return true
}

// exempt reports whether the function gets no checks: because its author says so, or because it
// must not call functions that need a larger stack.
func exempt(f *ast.FuncDecl) bool {
	return says(f, exemption, "//go:nosplit")
}

// spaced matches a directive that would be overlooked for its spaces.
var spaced = regexp.MustCompile(`^//(\s+freerun:\s*|freerun:\s+)uncooperative\s*$`)

// misplaced returns an error for a directive of freerun in a place where it would be overlooked.
func (p *Package) misplaced(f *ast.File) error {
	inDocs := make(map[*ast.Comment]bool)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Doc != nil {
			for _, c := range d.Doc.List {
				inDocs[c] = true
			}
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if spaced.MatchString(c.Text) {
				return fmt.Errorf("%s: the directive is written %s, without spaces", p.Fset.Position(c.Pos()), exemption)
			}
			if !strings.HasPrefix(c.Text, "//freerun:") {
				continue
			}
			text := strings.TrimSpace(c.Text)
			switch {
			case text != exemption:
				return fmt.Errorf("%s: unknown directive %s, there is %s", p.Fset.Position(c.Pos()), text, exemption)
			case !inDocs[c]:
				return fmt.Errorf("%s: %s has no effect here, it belongs into the comment before a function", p.Fset.Position(c.Pos()), exemption)
			}
		}
	}
	return nil
}

// check returns the text of a check at pos; "" if no activity is in reach there. n is its weight,
// or the text of its weight.
func (r *rewriter) check(pos token.Pos, n any) string {
	name := r.reach.use(pos)
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" %s.CheckInserted(%v);", name, n)
}

// head inserts the check at the head of a function, if it gets one.
func (r *rewriter) head(t *ast.FuncType, body *ast.BlockStmt) {
	if p := r.reach.params[r.info.Scopes[t]]; p != nil {
		r.params = append(r.params, paramOf{p, t})
	}
	if at := body.Lbrace + 1; !r.Preempted && r.reach.at(at) != "" {
		r.insert(at, r.check(at, max(light, r.list(body.List))))
	}
}

// loop inserts the check of a loop.
func (r *rewriter) loop(loop ast.Stmt, body *ast.BlockStmt) {
	at := body.Lbrace + 1
	if r.reach.at(at) == "" || r.checksItself(body) || r.inPieces(loop) {
		return
	}
	r.insert(at, r.check(at, r.turn(loop)))
}

// checksItself reports whether the body of a loop calls Check or Yield of the activity in reach by
// itself, in each turn that is followed by another one.
func (r *rewriter) checksItself(body *ast.BlockStmt) (checks bool) {
	for _, s := range body.List {
		ast.Inspect(s, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && (b.Tok == token.CONTINUE || b.Tok == token.GOTO) {
				body = nil
			}
			return body != nil
		})
		if body == nil {
			return false
		}
		if e, ok := s.(*ast.ExprStmt); ok && r.isCheck(e.X) {
			return true
		}
	}
	return false
}

// isCheck reports whether an expression is a call of Check or Yield of the activity in reach.
func (r *rewriter) isCheck(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Check" && f.Sel.Name != "Yield" {
		return false
	}
	a, ok := f.X.(*ast.Ident)
	return ok && isActivity(r.info.TypeOf(a)) && r.reach.at(e.Pos()) == a.Name
}

// note records the places of the labels in a list of statements.
func (r *rewriter) note(list []ast.Stmt) {
	for i, s := range list {
		for l, ok := s.(*ast.LabeledStmt); ok; l, ok = l.Stmt.(*ast.LabeledStmt) {
			r.labels[r.info.Defs[l.Label]] = place{list, i}
		}
	}
}

// jump inserts the check of a goto to a label above it. Its weight is that of the code between the
// label and the goto.
func (r *rewriter) jump(b *ast.BranchStmt) {
	if b.Tok != token.GOTO {
		return
	}
	to, above := r.labels[r.info.Uses[b.Label]]
	if !above || to.list[to.index].Pos() > b.Pos() {
		return
	}
	n := 0
	for _, s := range to.list[to.index:] {
		n += r.stmt(s)
		if s.End() >= b.End() {
			break
		}
	}
	if check := r.check(b.Pos(), n); check != "" {
		r.insert(b.Pos(), check[1:]+" ")
	}
}

// rename gives names to used parameters that have none, and second names to used parameters whose
// own name is hidden at a use.
func (r *rewriter) rename() {
	for _, p := range r.params {
		if p.aliased {
			r.insert(p.body.Lbrace+1, fmt.Sprintf(" %s := %s;", r.reach.fresh, p.name))
		}
		if !p.used || p.v != nil {
			continue
		}
		named := false
		for _, field := range p.function.Params.List {
			ours := !named && isActivity(r.info.TypeOf(field.Type))
			switch {
			case len(field.Names) > 0:
				for _, id := range field.Names {
					if ours && !named && id.Name == "_" {
						r.replace(id.Pos(), id.End(), r.reach.fresh)
						named = true
					}
				}
			case ours:
				r.insert(field.Type.Pos(), r.reach.fresh+" ")
				named = true
			default:
				r.insert(field.Type.Pos(), "_ ")
			}
		}
	}
}
