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
	Tests  string   // the tests of the package that count, a regular expression; none: all
	Most   int      // mutations beside other rooms, if verdicts take long; 0: all
	Far    []string // folders of packages above, whose tests run last
}

// rooms are the parts that hold the protocols, the quickest to judge first. Studies and test
// support are not among them.
var rooms = []Room{
	{Name: "claim", Folder: "internal/claim"},
	{Name: "ending", Folder: "internal/ending"},
	{Name: "stripe", Folder: "internal/stripe"},
	{Name: "magazine", Folder: "internal/magazine"},
	{Name: "quiesce", Folder: "internal/quiesce"},
	{Name: "scan", Folder: "internal/scan"},
	{Name: "timerwheel", Folder: "internal/timerwheel"},
	{Name: "deque", Folder: "deque"},
	{Name: "lock", Folder: "lock"},
	{Name: "queue", Folder: "queue"},
	{Name: "michaelscott", Folder: "internal/michaelscott", Far: []string{"queue"}},
	{Name: "buddy", Folder: "offheap/internal/buddy", Most: 10, Far: []string{"offheap"}},
	{Name: "offheap", Folder: "offheap", Most: 10, Except: []string{"debug.go", "leaks.go", "stats.go", "tally.go"}, Far: []string{"offheap/gc"}},
	{Name: "gc", Folder: "offheap/gc", Most: 8, Except: []string{"verify.go", "stats.go"}},
	{Name: "activity", Folder: "activity", Most: 8, Except: []string{"modelled*.go"}},
	{Name: "promise", Folder: "internal/promise", Most: 8},
	{Name: "mailbox", Folder: "internal/mailbox", Most: 8},
	{Name: "sched", Folder: "internal/sched", Most: 8, Except: []string{"watchdog.go", "census.go", "record.go", "stack_trace.go"}},
	{Name: "future", Folder: ".", Tests: "Future|Promise|Resolved|Await|Scan|Audience|Call|Join|Wait|Done|Given|Misuse|Multi|Whole", Most: 6, Files: []string{"promise.go", "future*.go"}},
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
