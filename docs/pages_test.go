// Package docs_test holds the pages for readers against the repository: their code is that of
// docs/tour, which its tests run; the exported names that they mention exist. Files and tests that
// they mention, and their links, are held by internal/archtest.
package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
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

func TestReadmeIsShort(t *testing.T) {
	if n := len(read(t, "README.md").lines); n > longestReadme {
		t.Errorf("README.md has %d lines; a newcomer's first page has at most %d", n, longestReadme)
	}
}
