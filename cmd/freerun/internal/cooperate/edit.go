package cooperate

import (
	"bytes"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// An edit replaces the source from one offset to another, which are the same where it only inserts.
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

// text returns what stands in the source from one position to another.
func (e *editor) text(from, to token.Pos) string {
	return string(e.source[e.file.Offset(from):e.file.Offset(to)])
}

// result returns the source with all edits made, nil if there are none. Edits at one place stand in the order in which they were asked for. At start, which
// is before all of them, the name of the file is said: most tools find it by the overlay, but not all.
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
			name = "" // from now on the same
		}
	}
	b.Write(e.source[done:])
	return b.Bytes()
}

// endsLine reports whether nothing but a comment stands on the rest of the line: then nobody asks for its columns.
func endsLine(rest []byte) bool {
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	text := strings.TrimLeft(string(line), " \t\r")
	return text == "" || strings.HasPrefix(text, "//")
}

// directive returns the comment that says where the next byte stood. In a file with line directives of its own, which names other lines and mostly no
// columns, there is nothing to put right if the column is not known.
func (e *editor) directive(name string, offset int) string {
	p := e.file.PositionFor(e.file.Pos(offset), true)
	if p.Column <= 0 {
		return ""
	}
	return fmt.Sprintf("/*line %s:%d:%d*/", name, p.Line, p.Column)
}
