package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLines is the greatest length of a Go file that is not a test.
const maxLines = 400

// Check compares the source with the document. It returns a sentence for each contradiction, which
// names the file, the import if there is one, and the rule. The error is about source that cannot
// be read.
func (t *Tree) Check(d Document) (problems []string, err error) {
	if t.modules["."] == "" {
		return nil, fmt.Errorf("%s has no go.mod with a module line", t.root)
	}
	c := checker{Tree: t, table: d.Table, testSupport: d.Support}
	c.places()
	c.layers()
	c.dependencies()
	c.support()
	c.machinery()
	c.portability()
	c.length()
	c.simulation()
	slices.Sort(c.problems)
	return c.problems, nil
}

type checker struct {
	*Tree
	table       Table
	testSupport []string
	problems    []string
}

func (c *checker) report(format string, arguments ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, arguments...))
}

// places compares the table with the existing folders and modules.
func (c *checker) places() {
	for _, p := range c.table {
		info, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(p.Path)))
		exists := err == nil && info.IsDir()
		switch {
		case exists && p.Planned:
			c.report("%s: the table calls it planned, but the folder exists", p.Path)
		case !exists && !p.Planned:
			c.report("%s: the table names it, but there is no such folder; mark it (planned) or take it out", p.Path)
		}
		if !exists {
			continue
		}
		own := c.moduleOf(p.Path) == p.Path && p.Path != "."
		switch {
		case p.Own && !own:
			c.report("%s: the table makes it a module of its own, but it has no go.mod", p.Path)
		case !p.Own && c.moduleOf(p.Path) != ".":
			c.report("%s: the table makes it part of the root module, but it has a go.mod or lies below one", p.Path)
		case p.Own && !c.work[p.Path]:
			c.report("%s: go.work does not use this module, so go test work leaves it out", p.Path)
		}
	}
}

// layers checks that every package is in a place, and that imports point to the layers below.
func (c *checker) layers() {
	unplaced := map[string]bool{}
	for _, f := range c.files {
		from, found := c.table.Find(f.folder)
		if !found {
			if !unplaced[f.folder] {
				c.report("%s: the package %s is in no layer; give its folder a row in the table", f.path, f.folder)
			}
			unplaced[f.folder] = true
			continue
		}
		for _, i := range f.imports {
			folder, ours := c.folderOf(i.path)
			if !ours {
				continue
			}
			to, found := c.table.Find(folder)
			if !found {
				c.report("%s:%d: imports %s, which is in no layer", f.path, i.line, i.path)
			} else if against := mayImport(from, to); against != "" && !(f.external && c.isSupport(folder)) {
				c.report("%s:%d: the import of %s %s", f.path, i.line, i.path, against)
			}
		}
	}
}

// isSupport reports whether a folder is a folder of test support, or lies below one.
func (c *checker) isSupport(folder string) bool {
	for _, s := range c.testSupport {
		if folder == s || strings.HasPrefix(folder, s+"/") {
			return true
		}
	}
	return false
}

// support checks that test support, and package testing, are compiled into tests only, in every
// module. So programs that import freerun do not get the packages that tests need.
func (c *checker) support() {
	for _, s := range c.testSupport {
		if info, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(s))); err != nil || !info.IsDir() {
			c.report("%s: it is listed as test support, but there is no such folder", s)
		}
	}
	for _, f := range c.files {
		if f.test || c.isSupport(f.folder) {
			continue
		}
		for _, i := range f.imports {
			folder, ours := c.folderOf(i.path)
			switch {
			case ours && c.isSupport(folder):
				c.report("%s:%d: imports %s, which is test support; only tests and test support may", f.path, i.line, i.path)
			case c.moduleOf(f.folder) == "." && (i.path == "testing" || strings.HasPrefix(i.path, "testing/")):
				c.report("%s:%d: imports %s; only tests and test support may", f.path, i.line, i.path)
			}
		}
	}
}

// dependencies checks that the root module needs the standard library only.
func (c *checker) dependencies() {
	for _, f := range c.files {
		if f.test || c.isSupport(f.folder) || c.moduleOf(f.folder) != "." {
			continue
		}
		for _, i := range f.imports {
			folder, ours := c.folderOf(i.path)
			first, _, _ := strings.Cut(i.path, "/")
			switch {
			case ours && c.moduleOf(folder) != ".":
				c.report("%s:%d: imports %s, a module of its own; the root module has no dependencies", f.path, i.line, i.path)
			case !ours && strings.Contains(first, "."):
				c.report("%s:%d: imports %s; the root module has no dependencies outside the standard library", f.path, i.line, i.path)
			case i.path == "C":
				c.report("%s:%d: uses cgo; the root module is Go alone", f.path, i.line)
			}
		}
	}
}

// machinery checks that assembly and go:linkname stay in the few places that must follow a new
// version of Go.
func (c *checker) machinery() {
	links := map[string]string{}    // package → its file with go:linkname
	assembly := map[string]string{} // package and architecture → its assembly file
	for _, f := range c.files {
		what, key, first := "", f.folder, links
		switch {
		case f.linkname:
			what = "go:linkname"
		case f.assembly:
			stem := strings.TrimSuffix(f.path, ".s")
			what, key, first = "assembly", f.folder+" "+stem[strings.LastIndex(stem, "_")+1:], assembly
		default:
			continue
		}
		if f.folder != "internal" && !strings.HasPrefix(f.folder, "internal/") {
			c.report("%s: %s may be used below internal only", f.path, what)
		}
		if other, found := first[key]; found {
			c.report("%s: %s is in %s already; a package has one file for it (for assembly, one each architecture)", f.path, what, other)
		}
		first[key] = f.path
	}
}

// length checks that a file can be read at one sitting.
func (c *checker) length() {
	for _, f := range c.files {
		if !f.assembly && !f.test && f.lines > maxLines {
			c.report("%s: has %d lines; a file that is not a test has at most %d", f.path, f.lines, maxLines)
		}
	}
}
