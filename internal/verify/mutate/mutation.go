package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// An Edit replaces the bytes from At to End of a file by Text.
type Edit struct {
	At, End int
	Text    string
}

// A Mutation is a change of one place of one file.
type Mutation struct {
	Room     string
	File     string // relative to the root of the tree, with slashes
	Path     string // the import path of its package
	Line     int    // of the place, for people and for the coverage
	Last     int    // the last line of the place
	Func     string // the function around it, with its receiver
	Operator string
	Before   string // the source of the place, in one line
	After    string // what stands there afterwards
	Nth      int    // 0 for the first mutation whose other names are the same, 1 for the second…
	Edits    []Edit
}

// Head returns the line that names the mutation: file, function, operator.
func (m Mutation) Head() string {
	head := m.File + " " + m.Func + " " + m.Operator
	if m.Nth > 0 {
		head += fmt.Sprintf(" #%d", m.Nth+1)
	}
	return head
}

// Key returns what tells the mutation from all others.
func (m Mutation) Key() string { return m.Head() + "\n- " + m.Before + "\n+ " + m.After }

// order returns the place of the mutation among all, for a seed: a number that looks random.
func (m Mutation) order(seed uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", seed, m.Key()))
	return string(sum[:])
}

// apply returns the source with the mutation.
func (m Mutation) apply(source []byte) []byte {
	edits := slices.SortedFunc(slices.Values(m.Edits), func(a, b Edit) int { return cmp.Compare(a.At, b.At) })
	var out []byte
	from := 0
	for _, e := range edits {
		out = append(out, source[from:e.At]...)
		out = append(out, e.Text...)
		from = e.End
	}
	return append(out, source[from:]...)
}

// number sets Nth of all mutations: those of the same names are numbered in their order.
func number(mutations []Mutation) {
	seen := map[string]int{}
	for i := range mutations {
		key := mutations[i].Key()
		mutations[i].Nth = seen[key]
		seen[key]++
	}
}

// oneLine returns source in one line, shortened.
func oneLine(source string) string {
	s := strings.Join(strings.Fields(source), " ")
	if r := []rune(s); len(r) > 160 {
		s = string(r[:160]) + "…"
	}
	return s
}
