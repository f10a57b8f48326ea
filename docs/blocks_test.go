package docs_test

import (
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the code of docs/tour into the pages that show it")

// The marks of a piece of code: in a file of docs/tour, and in a page above its block.
const (
	beginMark = "//tour:begin "
	endMark   = "//tour:end"
	pageMark  = "<!-- code: "
	fence     = "```"
)

// pieces returns the code of docs/tour that pages show, by name: each file without marks whole, of
// the others what is between two marks, without its indentation.
func pieces(t *testing.T) map[string][]string {
	all := map[string][]string{}
	for _, file := range files(t, "docs/tour") {
		if path.Ext(file) != ".go" {
			continue
		}
		lines, name, begin := read(t, file).lines, "", 0
		for i, line := range lines {
			trimmed := strings.TrimSpace(line)
			if found, ok := strings.CutPrefix(trimmed, beginMark); ok {
				if name != "" || all[found] != nil {
					t.Fatalf("%s:%d: the piece %q begins within another one, or twice", file, i+1, found)
				}
				name, begin = found, i+1
			}
			if trimmed != endMark {
				continue
			}
			if name == "" {
				t.Fatalf("%s:%d: a piece ends that has not begun", file, i+1)
			}
			indent, end := lines[begin-1][:strings.Index(lines[begin-1], beginMark)], i
			for lines[begin] == "" {
				begin++
			}
			for lines[end-1] == "" {
				end--
			}
			for _, line := range lines[begin:end] {
				all[name] = append(all[name], strings.TrimPrefix(line, indent))
			}
			name = ""
		}
		if name != "" {
			t.Fatalf("%s: the piece %q has no end", file, name)
		}
		if !strings.HasSuffix(file, "_test.go") {
			all[file] = lines
		}
	}
	return all
}

// TestBlocks holds that each block of Go in README.md, docs/tour.md and docs/guides.md is a piece
// of the code that the tests of docs/tour run, and that each piece is shown. A comment above a
// block names it:
//
//	<!-- code: NAME -->
//
// NAME is the name after tour:begin in the file, or a whole file's path from the root. After a
// change of the code `go test ./docs -update` writes the pages anew.
func TestBlocks(t *testing.T) {
	code := pieces(t)
	shown := map[string]bool{}
	for _, name := range []string{"README.md", "docs/tour.md", "docs/guides.md"} {
		p := read(t, name)
		var written []string
		for i := 0; i < len(p.lines); i++ {
			written = append(written, p.lines[i])
			if p.lines[i] != fence+"go" {
				continue
			}
			end := i + 1 + slices.Index(p.lines[i+1:], fence)
			if end == i {
				t.Fatalf("%s:%d: the block has no end", name, i+1)
			}
			piece := ""
			if i > 0 {
				piece, _ = strings.CutPrefix(p.lines[i-1], pageMark)
				piece, _ = strings.CutSuffix(piece, " -->")
			}
			switch want := code[piece]; {
			case want == nil:
				t.Errorf("%s:%d: the line above a block of Go names its piece of docs/tour: %sNAME -->", name, i+1, pageMark)
				written = append(written, p.lines[i+1:end]...)
			default:
				shown[piece] = true
				if !*update && !slices.Equal(want, p.lines[i+1:end]) {
					t.Errorf("%s:%d: the block is not the piece %q of docs/tour; go test ./docs -update writes it", name, i+1, piece)
				}
				written = append(written, want...)
			}
			i = end - 1
		}
		if *update {
			text := strings.Join(written, "\n") + "\n"
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name := range code {
		if !shown[name] {
			t.Errorf("no page shows the piece %q of docs/tour", name)
		}
	}
}
