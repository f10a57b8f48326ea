package archtest

import (
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Engine returns the folders whose packages are read file by file: the root folder, activity, and
// the instruments, which are all packages below internal but those of tests.
func (t *Tree) Engine() []string {
	folders := map[string]bool{}
	for _, f := range t.files {
		if f.syntax == nil || f.test {
			continue
		}
		aid := slices.ContainsFunc([]string{"archtest", "runtimetest", "verify"}, func(name string) bool {
			return f.folder == "internal/"+name || strings.HasPrefix(f.folder, "internal/"+name+"/")
		})
		if f.folder == "." || f.folder == "activity" || strings.HasPrefix(f.folder, "internal/") && !aid {
			folders[f.folder] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// A Circle is a set of files of one package, each of which leads to each other by references: it
// uses a function, a type, a variable, a constant, a method or a field that the next file declares.
// No part of a circle can be understood before the others.
type Circle struct {
	Folder string
	Files  []string // base names, sorted; at least two
}

// LeavesRoom reports whether the files of a circle belong to more than one room. A room is the
// files of a package whose names begin with one word, up to the first underscore.
func (c Circle) LeavesRoom() bool {
	return slices.ContainsFunc(c.Files, func(name string) bool { return roomOf(name) != roomOf(c.Files[0]) })
}

// roomOf returns the room of a file: its name up to the first underscore.
func roomOf(name string) string {
	room, _, _ := strings.Cut(strings.TrimSuffix(name, ".go"), "_")
	return room
}

// Circles returns the circles among the files of a package that are not tests, the largest first.
// It takes the files that are built for Linux on amd64, without special tags.
func (t *Tree) Circles(folders ...string) (circles []Circle, err error) {
	l := newLoader(t)
	l.context.GOOS, l.context.GOARCH = "linux", "amd64" // the same files on every machine
	for _, folder := range folders {
		uses, err := l.references(folder)
		if err != nil {
			return nil, err
		}
		for _, files := range components(uses) {
			if len(files) > 1 {
				circles = append(circles, Circle{folder, files})
			}
		}
	}
	slices.SortStableFunc(circles, func(a, b Circle) int { return len(b.Files) - len(a.Files) })
	return circles, nil
}

// A graph leads from each file of a package to the files whose declarations it uses.
type graph map[string]map[string]bool

// references type-checks a package with the bodies of its functions.
func (l *loader) references(folder string) (graph, error) {
	files, err := l.parse(filepath.Join(l.root, filepath.FromSlash(folder)))
	if _, none := err.(*build.NoGoError); err != nil && !none {
		return nil, err
	}
	uses := graph{}
	for _, f := range files {
		uses[l.file(f)] = map[string]bool{}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	c := types.Config{Importer: l, FakeImportC: true}
	p, err := c.Check(path.Join(l.modules["."], folder), l.fset, files, &info)
	if err == nil {
		err = l.err
	}
	if err != nil {
		return nil, err
	}
	for at, o := range info.Uses {
		if o.Pkg() != p || !o.Pos().IsValid() {
			continue
		}
		if from, to := l.file(at), l.file(o); from != to {
			uses[from][to] = true
		}
	}
	return uses, nil
}

// file returns the base name of the file that a position is in.
func (l *loader) file(at interface{ Pos() token.Pos }) string {
	return filepath.Base(l.fset.Position(at.Pos()).Filename)
}

// components returns the strongly connected components of a graph.
//
// Source: R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972
func components(g graph) (all [][]string) {
	number, lowest, open := map[string]int{}, map[string]int{}, []string(nil)
	var visit func(file string)
	visit = func(file string) {
		number[file] = len(number) + 1
		lowest[file] = number[file]
		open = append(open, file)
		for _, next := range slices.Sorted(maps.Keys(g[file])) {
			if number[next] == 0 {
				visit(next)
			}
			if slices.Contains(open, next) {
				lowest[file] = min(lowest[file], lowest[next])
			}
		}
		if lowest[file] < number[file] {
			return
		}
		at := slices.Index(open, file)
		part := slices.Clone(open[at:])
		open = open[:at]
		slices.Sort(part)
		all = append(all, part)
	}
	for _, file := range slices.Sorted(maps.Keys(g)) {
		if number[file] == 0 {
			visit(file)
		}
	}
	return all
}
