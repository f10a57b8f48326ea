package main

import (
	"path"
	"slices"
	"strings"
)

// A Room is a part of the tree that is mutated as one: some files of one package, and the packages
// whose tests are to kill its mutations.
type Room struct {
	Name   string
	Folder string   // of the package, relative to the root of the tree
	Files  []string // patterns of the base names that are mutated; none: all files
	Except []string // patterns of base names that are not
	Far    []string // folders of packages above, whose tests run last
}

// rooms are the parts that hold the protocols. Studies and test support are not among them.
var rooms = []Room{
	{Name: "queue", Folder: "queue"},
	{Name: "deque", Folder: "deque"},
	{Name: "lock", Folder: "lock"},
	{Name: "mailbox", Folder: "internal/mailbox", Far: []string{"."}},
	{Name: "activity", Folder: "activity", Except: []string{"modelled*.go"}},
	{Name: "buddy", Folder: "offheap/internal/buddy", Far: []string{"offheap"}},
	{Name: "offheap", Folder: "offheap", Except: []string{"debug.go", "leaks.go", "stats.go", "tally.go"}, Far: []string{"offheap/gc"}},
	{Name: "gc", Folder: "offheap/gc", Except: []string{"verify.go", "stats.go"}},
	{Name: "sched", Folder: "internal/sched", Except: []string{"watchdog.go", "census.go", "record.go", "stack_trace.go"}, Far: []string{"."}},
	{Name: "promise", Folder: "internal/promise", Far: []string{"."}},
	{Name: "future", Folder: ".", Files: []string{"promise.go", "future*.go"}},
}

// has reports whether the room mutates a file of its package.
func (r Room) has(base string) bool {
	matches := func(pattern string) bool { ok, _ := path.Match(pattern, base); return ok }
	if slices.ContainsFunc(r.Except, matches) {
		return false
	}
	return len(r.Files) == 0 || slices.ContainsFunc(r.Files, matches)
}

// pattern returns a folder as the go command takes it.
func pattern(folder string) string {
	if folder == "." || strings.HasPrefix(folder, "./") {
		return folder
	}
	return "./" + folder
}
