package cooperate

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// PollPath is the path of the package whose function Here is a poll.
const PollPath = ActivityPath + "/poll"

// StandardPollPath is the path of the package that has the polls of the standard library, which
// cannot import [PollPath]. The folder is there, which `go vet` needs, and has no package.
const StandardPollPath = "internal/runtime"

// polls inserts the polls of one file. A poll is a check that needs no activity: it asks whether
// the activity that runs the code, if one does, has used up its quantum.
type polls struct {
	name   string            // the name of the import; "" for a file without polls
	within bool              // whether the file is of the standard library
	heads  map[ast.Node]bool // the functions with a poll at their head, see [calls]
	silent bool              // whether the code is in a function without polls
	used   bool
}

// poll returns the text of a poll, or "" where none may be.
func (p *polls) poll() string {
	if !p.mayPoll() {
		return ""
	}
	p.used = true
	return fmt.Sprintf(" %s.Here();", p.name)
}

func (p *polls) mayPoll() bool { return p.name != "" && !p.silent }

// pollBefore is like poll, for a place before a statement.
func (p *polls) pollBefore() string {
	if text := p.poll(); text != "" {
		return text[1:] + " "
	}
	return ""
}

// addImport inserts the import of package poll, if the file has polls. It is on the line of the
// package clause, so that no line moves. The compiler makes a poll one load where sync/atomic is
// imported, too.
func (p *polls) addImport(e *editor, f *ast.File) {
	switch {
	case !p.used:
	case p.within:
		e.insert(f.Name.End(), fmt.Sprintf("; import %s %q", p.name, StandardPollPath))
	default:
		e.insert(f.Name.End(), fmt.Sprintf("; import %s %q; import _ \"sync/atomic\"", p.name, PollPath))
	}
}

// takesPolls reports whether a file may have polls. Files that use cgo may not: what the go command
// makes of them is not what stands there.
func takesPolls(f *ast.File) bool {
	return !slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == `"C"` || s.Path.Value == `"runtime/cgo"`
	})
}

// pragmas are the directives of functions that must not call others, or only in a way that the
// compiler checks.
var pragmas = strings.Fields(`//go:nosplit //go:systemstack //go:nowritebarrier //go:nowritebarrierrec //go:yeswritebarrierrec
	//go:cgo_unsafe_args ` + exemption)

// quiet returns a function that reports whether a function of the package has no polls: because its
// author says so, or because of how it is called. Functions that //go:linkname names may be called
// from anywhere, in any state, and so may those that assembly calls. In the standard library,
// //go:linkname with one name only lets other modules call the function.
func (p *Package) quiet() func(f *ast.FuncDecl) bool {
	linked := make(map[string]bool)
	maps.Copy(linked, p.Assembly)
	least := 2
	if p.Standard {
		least = 3
	}
	for _, f := range p.Files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if words := strings.Fields(c.Text); len(words) >= least && words[0] == "//go:linkname" {
					linked[words[1]] = true
				}
			}
		}
	}
	return func(f *ast.FuncDecl) bool {
		if f.Recv == nil && linked[f.Name.Name] {
			return true
		}
		return f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool {
			return slices.Contains(pragmas, strings.TrimSpace(c.Text))
		})
	}
}
