// Package docs_test holds the pages for readers against the repository: their code is that of
// docs/tour, which its tests run; their links and anchors lead somewhere; the exported names that
// they mention exist. Files and tests that they mention are held by internal/archtest.
package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the repository's folder.
const root = ".."

// longestReadme is how many lines the README may have.
const longestReadme = 120

// page is a document in Markdown.
type page struct {
	name  string   // slash-separated, relative to the root
	lines []string // without their line feeds
}

// read returns the page of that name.
func read(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return page{name, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
}

// pages returns README, ARCHITECTURE, CONTRIBUTING and every page below docs.
func pages(t *testing.T) []page {
	t.Helper()
	all := []page{read(t, "README.md"), read(t, "ARCHITECTURE.md"), read(t, "CONTRIBUTING.md")}
	for _, name := range files(t, "docs") {
		if path.Ext(name) == ".md" {
			all = append(all, read(t, name))
		}
	}
	return all
}

// files returns the files below a folder, as slash-separated names relative to the root. Hidden
// folders and testdata are left out.
func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && base != ".." && (strings.HasPrefix(base, ".") || base == "testdata") {
			return fs.SkipDir
		}
		relative, err := filepath.Rel(root, name)
		if err == nil && entry.Type().IsRegular() {
			names = append(names, filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// prose returns the lines of a page with those of its code blocks emptied.
func (p page) prose() []string {
	lines, inside := make([]string, len(p.lines)), false
	for i, line := range p.lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
			continue
		}
		if !inside {
			lines[i] = line
		}
	}
	return lines
}

func TestReadmeIsShort(t *testing.T) {
	if n := len(read(t, "README.md").lines); n > longestReadme {
		t.Errorf("README.md has %d lines; a newcomer's first page has at most %d", n, longestReadme)
	}
}

var (
	inlineCode = regexp.MustCompile("`[^`]*`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// TestLinks holds that a relative link leads to a file or a folder, and its anchor to a heading.
func TestLinks(t *testing.T) {
	for _, p := range pages(t) {
		for i, line := range p.prose() {
			for _, found := range link.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
				target, anchor, _ := strings.Cut(found[1], "#")
				if strings.Contains(target, ":") {
					continue // another site
				}
				file := p.name
				if target != "" {
					file = path.Join(path.Dir(p.name), target)
				}
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
					t.Errorf("%s:%d: the link to %s leads nowhere", p.name, i+1, found[1])
					continue
				}
				if anchor != "" && !hasHeading(read(t, file), anchor) {
					t.Errorf("%s:%d: %s has no heading #%s", p.name, i+1, file, anchor)
				}
			}
		}
	}
}

// hasHeading reports whether a page has a heading that is reached by the anchor.
func hasHeading(p page, anchor string) bool {
	for _, line := range p.prose() {
		heading, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !found || !strings.HasPrefix(line, "#") {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
				return r
			}
			return -1
		}, strings.ToLower(heading))
		if slug == anchor {
			return true
		}
	}
	return false
}
