package archtest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inlineCode = regexp.MustCompile("`[^`]*`")
)

// links checks the links in a line of a document to files of the repository and their headings.
func (m *mentions) links(position, document, line string) {
	line = inlineCode.ReplaceAllString(line, "")
	for _, found := range link.FindAllStringSubmatch(line, -1) {
		target, anchor, _ := strings.Cut(found[1], "#")
		if strings.Contains(target, ":") {
			continue // another site
		}
		file := document
		if target != "" {
			file = path.Join(path.Dir(document), target)
		}
		name := filepath.Join(m.root, filepath.FromSlash(file))
		if _, err := os.Stat(name); err != nil {
			m.problems = append(m.problems, fmt.Sprintf("%s: the link leads to %s, which is not there", position, target))
		} else if anchor != "" && !m.hasHeading(name, anchor) {
			m.problems = append(m.problems, fmt.Sprintf("%s: the link leads to a heading #%s, which %s does not have", position, anchor, file))
		}
	}
}

// hasHeading reports whether a document has a heading that the anchor leads to.
func (m *mentions) hasHeading(name, anchor string) bool {
	anchors, read := m.anchors[name]
	if !read {
		anchors = anchorsOf(name)
		m.anchors[name] = anchors
	}
	return anchors[anchor]
}

// anchorsOf returns the anchors of the headings of a document, none if it cannot be read.
func anchorsOf(name string) map[string]bool {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	anchors, code := map[string]bool{}, false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		heading, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if found && !code && strings.HasPrefix(line, "#") {
			anchors[anchorOf(strings.TrimSuffix(heading, "\n"))] = true
		}
	}
	return anchors
}

// anchorOf returns the anchor that GitHub gives a heading.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
			return r
		}
		return -1
	}, strings.ToLower(heading))
}
