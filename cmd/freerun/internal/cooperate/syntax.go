package cooperate

import (
	"go/ast"
	"go/token"
)

// syntaxRewriter inserts the polls of one file whose types are not known. The parser has resolved
// the names within the file.
type syntaxRewriter struct {
	editor
	polls
	bounds bounds
	quiet  func(*ast.FuncDecl) bool
}

func (r *syntaxRewriter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // types and constants have no code
	case *ast.FuncDecl:
		if n.Body == nil || r.quiet(n) {
			return false
		}
		r.head(n, n.Body)
	case *ast.FuncLit:
		r.head(n, n.Body)
	case *ast.ForStmt:
		r.loop(n, n.Body)
	case *ast.RangeStmt:
		r.loop(n, n.Body)
	case *ast.BranchStmt:
		if n.Tok == token.GOTO && n.Label.Obj != nil && n.Label.Obj.Pos() < n.Pos() {
			r.insert(n.Pos(), r.pollBefore())
		}
	}
	return true
}

// head inserts the poll at the head of a function, if the function has one.
func (r *syntaxRewriter) head(f ast.Node, body *ast.BlockStmt) {
	if r.heads[f] {
		r.insert(body.Lbrace+1, r.poll())
	}
}

// loop inserts the poll of a loop.
func (r *syntaxRewriter) loop(loop ast.Stmt, body *ast.BlockStmt) {
	if !r.bounds.isShort(loop) {
		r.insert(body.Lbrace+1, r.poll())
	}
}

// rewriteSyntax returns the texts of the files with polls, for a package without types.
func (p *Package) rewriteSyntax() [][]byte {
	texts := make([][]byte, len(p.Files))
	name := p.fresh()("freerunPoll")
	heads, quiet := p.pollHeads(), p.quiet()
	for i, f := range p.Files {
		r := &syntaxRewriter{
			editor: editor{file: p.Fset.File(f.FileStart), source: p.Sources[i]},
			polls:  polls{name: name, heads: heads, within: p.Standard}, quiet: quiet,
		}
		if takesPolls(f) {
			ast.Inspect(f, r.visit)
			r.addImport(&r.editor, f)
		}
		if p.Named && len(r.edits) == 0 {
			r.edits = []edit{{r.file.Offset(f.Package), r.file.Offset(f.Package), ""}}
		}
		texts[i] = r.result(f.Package)
	}
	return texts
}
