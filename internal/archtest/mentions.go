package archtest

import (
	"fmt"
	"go/ast"
	"go/build"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The patterns of mentions. The first rune before a name must not be part of a longer name.
var (
	fileMention = regexp.MustCompile(`(?:^|[^\w./*…-])((?:[\w*….-]+/)*[\w*…-]+\.go)(?:$|[^\w/])`)
	testMention = regexp.MustCompile(`\b(?:Test|Benchmark|Fuzz|Example)[A-Z_]\w*[…*]?`)
	// Numbers of decisions: docs/adr/0034, ADR 34, ADRs 12 and 13, docs/adr/0015 and 0036.
	decisionMention = regexp.MustCompile(`(?:\bADRs? |\bdocs/adr/)(\d+)([\w-]*\.md)?(?:(?:,| and) (\d+)\b)?`)
	address         = regexp.MustCompile(`\w+://\S+`)
)

// Mentions compares the names in comments and documents with the files of Go, tests, benchmarks,
// fuzz tests, examples and records of decisions that exist. It returns a sentence for each name
// that leads nowhere.
//
// A name without a folder in a comment means a file of the comment's folder. A path starts at the
// root, at the comment's module or folder, or in Go's own source. A document may name a file by its
// base name, wherever that file is. In a name, … and * stand for any characters. A link in a
// document must lead to a file or a folder, and its anchor to a heading. Mentions reads all
// documents in Markdown except CHANGELOG.md, which tells of removed things. After the line
// "<!-- old names: begin -->" of a document it checks only links.
func (t *Tree) Mentions() (problems []string, err error) {
	m := mentions{Tree: t, paths: map[string]bool{}, bases: map[string]bool{}, functions: map[string]bool{}, anchors: map[string]map[string]bool{}}
	for _, f := range t.files {
		m.paths[f.path], m.bases[path.Base(f.path)] = true, true
		if f.syntax == nil {
			continue
		}
		for _, declaration := range f.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok {
				m.functions[function.Name.Name] = true
			}
		}
	}
	decisions, err := filepath.Glob(filepath.Join(t.root, "docs", "adr", "[0-9]*.md"))
	if err != nil {
		return nil, err
	}
	for _, name := range decisions {
		m.decisions = append(m.decisions, filepath.Base(name))
	}
	for i := range t.files {
		m.comments(&t.files[i])
	}
	if err := m.documents(); err != nil {
		return nil, err
	}
	return m.problems, nil
}

type mentions struct {
	*Tree
	paths     map[string]bool            // of all files
	bases     map[string]bool            // their base names
	functions map[string]bool            // names of functions and methods of all packages
	decisions []string                   // base names of the files in docs/adr
	anchors   map[string]map[string]bool // of the documents that links lead into
	problems  []string
}

func (m *mentions) comments(f *file) {
	if f.syntax == nil || ast.IsGenerated(f.syntax) {
		return
	}
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			number := f.positions.Position(comment.Pos()).Line
			for line := range strings.Lines(comment.Text) {
				m.line(fmt.Sprintf("%s:%d", f.path, number), f.folder, line, false)
				number++
			}
		}
	}
}

// oldNames is the line of a document after which names of removed things stand.
const oldNames = "<!-- old names: begin -->"

// documents checks the documents and their links to files.
func (m *mentions) documents() error {
	for _, name := range m.markdown {
		text, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		old, code := false, false
		for i, line := range strings.Split(string(text), "\n") {
			old = old || strings.TrimSpace(line) == oldNames
			position := fmt.Sprintf("%s:%d", name, i+1)
			if !old {
				m.line(position, path.Dir(name), line, true)
			}
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			if !code {
				m.links(position, name, line)
			}
		}
	}
	return nil
}

// line checks one line of a comment or a document.
func (m *mentions) line(position, folder, line string, document bool) {
	line = address.ReplaceAllString(line, "")
	// A mention may begin with the rune that ends the mention before it, so each search starts at
	// the end of a name.
	for rest := line; ; {
		found := fileMention.FindStringSubmatchIndex(rest)
		if found == nil {
			break
		}
		if name := rest[found[2]:found[3]]; !m.isFile(folder, name, document) {
			m.problems = append(m.problems, fmt.Sprintf("%s: there is no file %s%s", position, name, here(name, document)))
		}
		rest = rest[found[3]:]
	}
	for _, found := range testMention.FindAllStringIndex(line, -1) {
		declares := strings.HasSuffix(line[:found[0]], "func ") // an example of code
		if name := line[found[0]:found[1]]; !declares && !m.isFunction(name) {
			m.problems = append(m.problems, fmt.Sprintf("%s: there is no %s", position, name))
		}
	}
	for _, found := range decisionMention.FindAllStringSubmatch(line, -1) {
		for _, number := range []string{found[1], found[3]} {
			if number != "" && !m.isDecision(number, "") {
				m.problems = append(m.problems, fmt.Sprintf("%s: there is no decision %s in docs/adr", position, number))
			}
		}
		if found[2] != "" && m.isDecision(found[1], "") && !m.isDecision(found[1], found[1]+found[2]) {
			m.problems = append(m.problems, fmt.Sprintf("%s: decision %s is in another file than %s%s", position, found[1], found[1], found[2]))
		}
	}
}

func here(name string, document bool) string {
	if document || strings.Contains(name, "/") {
		return ""
	}
	return " in this folder"
}

// isFile reports whether a name that is mentioned in a folder is the name of a file.
func (m *mentions) isFile(folder, name string, document bool) bool {
	if !strings.Contains(name, "/") {
		return document && matches(m.bases, name) || matches(m.paths, path.Join(folder, name))
	}
	for _, from := range []string{".", m.moduleOf(folder), folder} {
		if matches(m.paths, path.Join(from, name)) {
			return true
		}
	}
	_, err := os.Stat(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(name)))
	return err == nil
}

// isFunction reports whether a test, or any other function, of that name is declared.
func (m *mentions) isFunction(name string) bool {
	return matches(m.functions, name)
}

// isDecision reports whether there is a decision of that number, and in that file unless file is
// "".
func (m *mentions) isDecision(number, file string) bool {
	return slices.ContainsFunc(m.decisions, func(name string) bool {
		has, _, _ := strings.Cut(name, "-")
		return strings.TrimLeft(has, "0") == strings.TrimLeft(number, "0") && (file == "" || name == file)
	})
}

// matches reports whether a name is in a set; … and * in the name stand for any characters but a
// slash.
func matches(set map[string]bool, name string) bool {
	if !strings.ContainsAny(name, "…*") {
		return set[name]
	}
	pattern := strings.ReplaceAll(name, "…", "*")
	for candidate := range set {
		if found, err := path.Match(pattern, candidate); err == nil && found {
			return true
		}
	}
	return false
}
