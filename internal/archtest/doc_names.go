package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"unicode"
)

// MisnamedDocs returns the declarations whose comment begins with the name of something else, as
// it is left when the declaration is renamed. The first word of a comment counts as a name if it
// is of letters and digits and begins in lower case, or has a capital inside. Such a word must be
// the name of the declaration, or of one in the same group of constants or variables. Examples do
// not count: their comment may begin with what they show.
func (t *Tree) MisnamedDocs() (problems []string) {
	for _, f := range t.files {
		if f.syntax == nil || ast.IsGenerated(f.syntax) {
			continue
		}
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !strings.HasPrefix(d.Name.Name, "Example") {
					problems = f.misnamed(problems, d.Doc, d.Name)
				}
			case *ast.GenDecl:
				problems = f.misnamedIn(problems, d)
			}
		}
	}
	return problems
}

// misnamedIn appends what is misnamed in a declaration of constants, variables or types, and of
// the methods of interfaces.
func (f *file) misnamedIn(problems []string, d *ast.GenDecl) []string {
	var group []*ast.Ident
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			group = append(group, s.Name)
		case *ast.ValueSpec:
			group = append(group, s.Names...)
		}
	}
	problems = f.misnamed(problems, d.Doc, group...) // of imports there are no names
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			problems = f.misnamed(problems, s.Doc, s.Name)
			if i, ok := s.Type.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					problems = f.misnamed(problems, m.Doc, m.Names...)
				}
			}
		case *ast.ValueSpec:
			if s.Doc != d.Doc {
				problems = f.misnamed(problems, s.Doc, group...)
			}
		}
	}
	return problems
}

// misnamed appends a problem if doc begins with a name, and that is none of names.
func (f *file) misnamed(problems []string, doc *ast.CommentGroup, names ...*ast.Ident) []string {
	if doc == nil || len(names) == 0 {
		return problems
	}
	said, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
	said = strings.TrimRight(said, ",:;.")
	if !isName(said) || slices.ContainsFunc(names, func(n *ast.Ident) bool { return n.Name == said || n.Name == "_" }) {
		return problems
	}
	line := f.positions.Position(doc.Pos()).Line
	return append(problems, fmt.Sprintf("%s:%d: the comment of %s begins with %s", f.path, line, names[0].Name, said))
}

// isName reports whether the first word of a comment is the name of something in the code.
func isName(word string) bool {
	for i, c := range word {
		if !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return strings.IndexFunc(word, unicode.IsLower) == 0 && word != "" ||
		strings.IndexFunc(word, unicode.IsUpper) == 0 && strings.IndexFunc(word[1:], unicode.IsUpper) >= 0 &&
			strings.IndexFunc(word, unicode.IsLower) > 0
}
