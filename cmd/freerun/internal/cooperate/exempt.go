package cooperate

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// ExemptPath is the path of the package that is told the names of exempt functions: they are not
// preempted either.
const ExemptPath = ActivityPath + "/uncooperative"

// noteExempt has a file tell the names of its exempt functions. The import is on the line of the
// package clause, and the call on the last line, so that no line moves.
func (r *rewriter) noteExempt(f *ast.File) {
	var names []string
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && says(d, exemption) && d.Name.Name != "_" {
			names = append(names, fmt.Sprintf("%q", symbol(r.Path, d)))
			if f.Name.Name == "main" { // whose path is another one in a program than in its tests
				names = append(names, fmt.Sprintf("%q", symbol("main", d)))
			}
		}
	}
	if len(names) == 0 {
		return
	}
	name, line := r.fresh("freerunUncooperative"), ""
	if !bytes.HasSuffix(r.source, []byte("\n")) {
		line = "\n"
	}
	r.insert(f.Name.End(), fmt.Sprintf("; import %s %q", name, ExemptPath))
	r.insert(f.FileEnd, fmt.Sprintf("%svar _ = %s.Note(%s)", line, name, strings.Join(names, ", ")))
}

// symbol returns the name of a function of a package as stack traces have it, without what follows
// for its type parameters and its literals.
func symbol(path string, f *ast.FuncDecl) string {
	name := prefix(path) + "."
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return name + f.Name.Name
	}
	t := ast.Unparen(f.Recv.List[0].Type)
	star, isPointer := t.(*ast.StarExpr)
	if isPointer {
		t = ast.Unparen(star.X)
	}
	parameters := ""
	switch x := t.(type) {
	case *ast.IndexExpr:
		t, parameters = x.X, "[...]"
	case *ast.IndexListExpr:
		t, parameters = x.X, "[...]"
	}
	receiver := ""
	if id, ok := ast.Unparen(t).(*ast.Ident); ok {
		receiver = id.Name + parameters
	}
	if isPointer {
		receiver = "(*" + receiver + ")"
	}
	return name + receiver + "." + f.Name.Name
}

// prefix returns the path of a package as the names of its functions have it: the compiler escapes
// dots in its last part, among others.
func prefix(path string) string {
	last := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '.' && i > last || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// says reports whether a function has one of some directives.
func says(f *ast.FuncDecl, directives ...string) bool {
	if f.Doc == nil {
		return false
	}
	for _, c := range f.Doc.List {
		for _, d := range directives {
			if strings.TrimSpace(c.Text) == d {
				return true
			}
		}
	}
	return false
}
