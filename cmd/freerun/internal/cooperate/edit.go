package cooperate

import (
	"bytes"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// An edit replaces the source between two offsets. For an insertion they are equal.
type edit struct {
	from, to int
	text     string
}

// editor collects the edits of one file.
type editor struct {
	file   *token.File
	source []byte
	edits  []edit
}

func (e *editor) insert(at token.Pos, text string) { e.replace(at, at, text) }

func (e *editor) replace(from, to token.Pos, text string) {
	if from == to && text == "" {
		return
	}
	e.edits = append(e.edits, edit{e.file.Offset(from), e.file.Offset(to), text})
}

// text returns the source between two positions.
func (e *editor) text(from, to token.Pos) string {
	return string(e.source[e.file.Offset(from):e.file.Offset(to)])
}

// result returns the source with all edits made, or nil if there are none. Edits at one place keep
// the order in which they were requested. The name of the file is inserted at start, before all
// edits: most tools find the name by the overlay, but not all.
func (e *editor) result(start token.Pos) []byte {
	if len(e.edits) == 0 {
		return nil
	}
	e.edits = append(e.edits, edit{from: e.file.Offset(start), to: e.file.Offset(start)})
	slices.SortStableFunc(e.edits, func(a, b edit) int { return a.from - b.from })
	var b bytes.Buffer
	done, name := 0, e.file.Name()
	for i, edit := range e.edits {
		b.Write(e.source[done:edit.from])
		b.WriteString(edit.text)
		done = edit.to
		if next := i + 1; next < len(e.edits) && e.edits[next].from == done {
			continue
		}
		if bytes.IndexByte(e.source[edit.from:edit.to], '\n') >= 0 || !endsLine(e.source[done:]) {
			b.WriteString(e.directive(name, done))
			name = "" // later directives need no name
		}
	}
	b.Write(e.source[done:])
	return b.Bytes()
}

// endsLine reports whether the rest of the line is empty or a comment. Then its columns do not
// matter.
func endsLine(rest []byte) bool {
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	text := strings.TrimLeft(string(line), " \t\r")
	return text == "" || strings.HasPrefix(text, "//")
}

// directive returns the comment that tells the original position of the next byte. A file with line
// directives of its own names other lines and mostly no columns. Without a column there is nothing
// to correct.
func (e *editor) directive(name string, offset int) string {
	p := e.file.PositionFor(e.file.Pos(offset), true)
	if p.Column <= 0 {
		return ""
	}
	return fmt.Sprintf("/*line %s:%d:%d*/", name, p.Line, p.Column)
}
