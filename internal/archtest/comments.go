package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxColumns is the width of a line with a comment.
	maxColumns = 100
	// tabColumns is the width of a tab: four, as most editors and GitHub show Go.
	tabColumns = 4
)

// A WideLine is a line with a comment that is wider than maxColumns.
type WideLine struct {
	Folder   string // slash-separated, relative to the root
	Position string // file:line
	Columns  int
}

// WideComments returns the lines that have a comment and are wider than 100 columns,
// ordered by position. A line with code and a comment counts as a whole, because the comment can
// move to a line of its own. Generated files, directives such as go:build, and lines with nothing
// but an address do not count.
func (t *Tree) WideComments() (wide []WideLine) {
	for _, f := range t.files {
		if f.syntax == nil || ast.IsGenerated(f.syntax) {
			continue
		}
		for _, number := range f.commentLines() {
			if columns := width(f.line(number)); columns > maxColumns {
				wide = append(wide, WideLine{f.folder, fmt.Sprintf("%s:%d", f.path, number), columns})
			}
		}
	}
	return wide
}

// commentLines returns the numbers of the lines that have a comment that could be broken, in order.
func (f *file) commentLines() []int {
	var numbers []int
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if isDirective(comment.Text) || isAddress(comment.Text) {
				continue
			}
			first := f.positions.Position(comment.Pos()).Line
			for i := range strings.Count(comment.Text, "\n") + 1 {
				numbers = append(numbers, first+i)
			}
		}
	}
	return slices.Compact(numbers)
}

// line returns a line of the file without its end.
func (f *file) line(number int) string {
	if f.starts == nil {
		f.starts = []int{0}
		for i, c := range f.text {
			if c == '\n' {
				f.starts = append(f.starts, i+1)
			}
		}
	}
	rest := f.text[f.starts[number-1]:]
	line, _, _ := strings.Cut(string(rest[:min(len(rest), 4096)]), "\n")
	return strings.TrimSuffix(line, "\r")
}

// isDirective reports whether a comment speaks to a tool: the colon follows a word at once, as in
// //go:embed.
func isDirective(comment string) bool {
	text, found := strings.CutPrefix(comment, "//")
	word, _, colon := strings.Cut(text, ":")
	return found && colon && word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") == "" ||
		strings.HasPrefix(comment, "//export ")
}

// isAddress reports whether a comment is one word with the address of a page in it.
func isAddress(comment string) bool {
	words := strings.Fields(strings.TrimPrefix(comment, "//"))
	return len(words) == 1 && strings.Contains(words[0], "://")
}

// width returns the columns of a line.
func width(line string) int {
	return utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
}
