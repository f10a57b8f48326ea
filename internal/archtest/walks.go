package archtest

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// walkHead begins the heading of a section that follows a message through the code.
const walkHead = "The life of "

var (
	// codeMention is a name in backquotes, and the file in parentheses that should declare it.
	codeMention = regexp.MustCompile("`([^`]+)`(?:\\s+\\(([\\w./-]+\\.go)\\b)?")
	// codeName is a name of code: alone, or after its type, its package, or both.
	codeName = regexp.MustCompile(`^(?:[A-Za-z_]\w*\.){0,2}[A-Za-z_]\w*$`)
	word     = regexp.MustCompile(`[A-Za-z_]\w*`)
	// wayStep is a line of a way: a name of code, and the file that declares it.
	wayStep = regexp.MustCompile(`(?m)^//\t((?:\w+\.)?\w+) +(below|[\w./-]+\.go)(?: |$)`)
)

// Walks compares the names in backquotes in the walks of ARCHITECTURE.md, the sections that begin
// with "The life of", with the declarations of the root module. A name that is followed by a file
// in parentheses must be declared in that file; any other name must be declared somewhere in the
// root module. A name is a function, a type, a constant, a variable, a method or a field. It may
// stand after its type and a dot, and both after the package and a dot. Unexported names in the
// code of a section are the section's own.
//
// Walks returns a sentence for each name that leads nowhere, and the number of names that it has
// followed.
func (t *Tree) Walks() (problems []string, followed int, err error) {
	text, err := os.ReadFile(filepath.Join(t.root, "ARCHITECTURE.md"))
	if err != nil {
		return nil, 0, err
	}
	names := t.declarations()
	for _, s := range walkSections(string(text)) {
		for _, found := range codeMention.FindAllStringSubmatchIndex(s.text, -1) {
			name, file := s.text[found[2]:found[3]], ""
			if found[4] >= 0 {
				file = s.text[found[4]:found[5]]
			}
			isOwn := file == "" && s.own[name] && !ast.IsExported(name)
			if isOwn || !codeName.MatchString(name) || strings.HasSuffix(name, ".go") {
				continue
			}
			followed++
			if !names.has(name, file) {
				where := "the root module"
				if file != "" {
					where = file
				}
				line := s.line + strings.Count(s.text[:found[0]], "\n")
				problems = append(problems, fmt.Sprintf("ARCHITECTURE.md:%d: there is no %s in %s", line, name, where))
			}
		}
	}
	return problems, followed, nil
}

// Way follows a way through the code that the comments of a file draw: lines with a name of code,
// indented by a tab, the file that declares it, "below" for that file itself, and perhaps what
// happens there. It returns a sentence for each name that the file does not declare, the number of
// steps, and the files on the way, each once.
func (t *Tree) Way(drawnIn string) (problems []string, steps int, files []string, err error) {
	text, err := os.ReadFile(filepath.Join(t.root, drawnIn))
	if err != nil {
		return nil, 0, nil, err
	}
	names := t.declarations()
	for _, found := range wayStep.FindAllSubmatchIndex(text, -1) {
		name, file := string(text[found[2]:found[3]]), string(text[found[4]:found[5]])
		if file == "below" {
			file = drawnIn
		}
		steps++
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
		if !names.has(name, file) {
			line := 1 + strings.Count(string(text[:found[0]]), "\n")
			problems = append(problems, fmt.Sprintf("%s:%d: there is no %s in %s", drawnIn, line, name, file))
		}
	}
	return problems, steps, files, nil
}

// A section is the text of a walk.
type section struct {
	line int             // of the first line of text
	text string          // without code, but with its lines
	own  map[string]bool // names in its code
}

// walkSections returns the sections whose heading begins with walkHead, each including its
// subsections.
func walkSections(document string) []section {
	var sections []section
	level, code, number := 0, false, 0
	for line := range strings.Lines(document) {
		number++
		fence := strings.HasPrefix(line, "```")
		if hashes := len(line) - len(strings.TrimLeft(line, "#")); hashes > 0 && !code {
			switch {
			case strings.HasPrefix(strings.TrimSpace(line[hashes:]), walkHead):
				level = hashes
				sections = append(sections, section{number, "", map[string]bool{}})
			case hashes <= level:
				level = 0
			}
		}
		if fence {
			code = !code
		}
		if level == 0 {
			continue
		}
		s := &sections[len(sections)-1]
		if code || fence {
			if !fence {
				for _, w := range word.FindAllString(line, -1) {
					s.own[w] = true
				}
			}
			line = "\n"
		}
		s.text += line
	}
	return sections
}

// declarations maps each name to the files that declare it.
type declarations map[string][]string

// declarations returns those of the root module, without tests.
func (t *Tree) declarations() declarations {
	names := declarations{}
	for _, f := range t.files {
		if f.syntax != nil && !f.test && t.moduleOf(f.folder) == "." {
			names.read(f)
		}
	}
	return names
}

// has reports whether a file declares a name. If file is "", any file will do.
func (d declarations) has(name, file string) bool {
	if file == "" {
		return len(d[name]) > 0
	}
	return slices.Contains(d[name], path.Clean(file))
}

// read adds the declarations of a file: each name with and without its package, and members also
// without their type.
func (d declarations) read(f file) {
	add := func(names ...string) {
		name := strings.Join(names, ".")
		for _, n := range []string{name, f.syntax.Name.Name + "." + name} {
			d[n] = append(d[n], f.path)
		}
		if member := names[len(names)-1]; len(names) > 1 {
			d[member] = append(d[member], f.path)
		}
	}
	for _, declaration := range f.syntax.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			if declaration.Recv == nil {
				add(declaration.Name.Name)
			} else if receiver := receiverName(declaration.Recv.List[0].Type); receiver != "" {
				add(receiver, declaration.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name.Name)
					}
				case *ast.TypeSpec:
					add(spec.Name.Name)
					for _, name := range memberNames(spec.Type) {
						add(spec.Name.Name, name)
					}
				}
			}
		}
	}
}

// receiverName returns the name of a receiver's type.
func receiverName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return receiverName(x.X)
	case *ast.IndexExpr:
		return receiverName(x.X)
	case *ast.IndexListExpr:
		return receiverName(x.X)
	case *ast.SelectorExpr: // an embedded type of another package
		return x.Sel.Name
	}
	return ""
}

// memberNames returns the fields of a struct, and the methods of an interface.
func memberNames(x ast.Expr) (names []string) {
	var fields *ast.FieldList
	switch x := x.(type) {
	case *ast.StructType:
		fields = x.Fields
	case *ast.InterfaceType:
		fields = x.Methods
	default:
		return nil
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		if len(field.Names) == 0 {
			names = append(names, receiverName(field.Type))
		}
	}
	return names
}
