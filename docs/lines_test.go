package docs_test

import (
	"fmt"
	"go/build"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// component is a line of the lecture's table of simplicity, or a part of freerun that the lecture's
// kernel has nothing beside.
type component struct {
	name    string
	lecture int      // lines that the lecture prints; 0 for none
	folders []string // of freerun, with what is below; "." is the root folder alone
	why     string   // in place of folders
}

// components are all packages of the runtime: those that programs import, and those below them.
var components = []component{
	{"Interrupt handling", 301, nil, "Go's runtime and the system"},
	{"Memory management, with the collector", 352, []string{"offheap"}, ""},
	{"Modules", 82, nil, "Go's linker"},
	{"Multiprocessing", 213, []string{"internal/sys"}, ""},
	{"Runtime support", 250, []string{"internal/sync", "internal/record", "internal/vclock", "internal/stripe"}, ""},
	{"Scheduler", 540, []string{"internal/sched"}, ""},
	{"Activities, and what they wait for", 0, []string{"activity", "internal/activityhost", "internal/exempt", "internal/room"}, ""},
	{
		"Units, messages, futures, timers", 0,
		[]string{".", "internal/claim", "internal/ending", "internal/errorcode", "internal/keytable", "internal/magazine", "internal/mailbox", "internal/promise", "internal/quiesce", "internal/route", "internal/scan", "internal/timerwheel"},
		"",
	},
	{"Queues, deques and locks for programs", 0, []string{"queue", "deque", "lock"}, ""},
	{"Recordings, simulation, tests of schedules", 0, []string{"recording", "simulate", "freeruntest", "internal/simhost"}, ""},
}

// others are the folders that are no part of the runtime: programs, tests and studies, and modules
// of their own.
var others = []string{
	"bench", "cluster", "cmd", "ddb", "docs", "examples", "httpview", "otelfreerun", "programs", "tests", "tools",
	"internal/archtest", "internal/figures", "internal/kindview", "internal/michaelscott", "internal/runtimetest", "internal/spans", "internal/travel", "internal/verify",
}

// linesHead is the header of the table in docs/papers.md.
const linesHead = "| component | lecture | freerun | where |"

// slack is how far a count in the table may be from the source, in parts of the count: the table
// need not be drawn again for every change.
const slack = 0.05

// TestLinesOfCode holds the table of lines of code against the source. A line counts if it has
// code, not if it has a comment only, in files that are built for linux/amd64 without tags, tests
// apart.
//
//	go test ./docs -run LinesOfCode -update
func TestLinesOfCode(t *testing.T) {
	counts := make([]int, len(components))
	for _, name := range files(t, ".") {
		if ext := path.Ext(name); ext != ".go" && ext != ".s" || strings.HasSuffix(name, "_test.go") || within(name, others) {
			continue
		}
		at := slices.IndexFunc(components, func(c component) bool { return within(name, c.folders) })
		if at < 0 {
			t.Errorf("%s is of no component", name)
			continue
		}
		counts[at] += linesOfCode(t, name)
	}
	const name = "docs/papers.md"
	p := read(t, name)
	head := slices.Index(p.lines, linesHead)
	if head < 0 {
		t.Fatalf("%s has no table with the header %q", name, linesHead)
	}
	end := head + 2
	for end < len(p.lines) && strings.HasPrefix(p.lines[end], "|") {
		end++
	}
	if *update {
		lines := slices.Concat(p.lines[:head+2], drawLines(counts), p.lines[end:])
		if err := os.WriteFile(filepath.Join(root, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	drawn, want := p.lines[head+2:end], drawLines(counts)
	if len(drawn) != len(want) {
		t.Fatalf("the table of %s has %d lines, want %d; go test ./docs -run LinesOfCode -update draws them", name, len(drawn), len(want))
	}
	for i := range want {
		has, due := strings.Split(drawn[i], "|"), strings.Split(want[i], "|")
		near := len(has) == len(due) && alike(has[3], due[3])
		if near {
			has[3] = due[3]
		}
		if !near || !slices.Equal(has, due) {
			t.Errorf("%s has %q, want %q; go test ./docs -run LinesOfCode -update draws it", name, drawn[i], want[i])
		}
	}
}

// within reports whether a file lies in one of the folders or below.
func within(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return strings.HasPrefix(name, folder+"/") || folder == "." && !strings.Contains(name, "/")
	})
}

// linesOfCode counts the lines of a file that have code; none if the file is not built.
func linesOfCode(t *testing.T, name string) int {
	t.Helper()
	at := filepath.Join(root, filepath.FromSlash(name))
	context := build.Default
	context.GOOS, context.GOARCH, context.BuildTags, context.CgoEnabled = "linux", "amd64", nil, false
	if built, err := context.MatchFile(filepath.Split(at)); err != nil || !built {
		if err != nil {
			t.Fatal(err)
		}
		return 0
	}
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if path.Ext(name) == ".s" {
		count := 0
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				count++
			}
		}
		return count
	}
	return codeLines(text)
}

// codeLines counts the lines of Go on which a token begins that is no comment.
func codeLines(text []byte) (count int) {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	last := 0
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return count
		}
		if line := file.Line(pos); line != last && !(kind == token.SEMICOLON && literal == "\n") {
			count, last = count+1, line
		}
	}
}

// drawLines returns the lines of the table.
func drawLines(counts []int) (lines []string) {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	lecture, all, beside := 0, 0, 0
	for i, c := range components {
		where := c.why
		var folders []string
		for _, folder := range c.folders {
			if folder == "." {
				folder = "the root folder"
			}
			folders = append(folders, folder)
		}
		if where == "" {
			where = strings.Join(folders, ", ")
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s |", c.name, number(c.lecture), number(counts[i]), where))
		lecture, all = lecture+c.lecture, all+counts[i]
		if c.lecture > 0 {
			beside += counts[i]
		}
	}
	lines = append(lines, fmt.Sprintf("| The lecture's components | %d | %d | |", lecture, beside))
	return append(lines, fmt.Sprintf("| All | | %d | |", all))
}

// alike reports whether two numbers of the table are the same but for the slack.
func alike(has, due string) bool {
	x, err1 := strconv.Atoi(strings.TrimSpace(has))
	y, err2 := strconv.Atoi(strings.TrimSpace(due))
	if err1 != nil || err2 != nil {
		return has == due
	}
	return max(x-y, y-x) <= int(slack*float64(y))
}

// TestCodeLines counts lines of a text in which each kind of line occurs.
func TestCodeLines(t *testing.T) {
	text := "// a comment\npackage x // with another\n\n/* one\n   more */\n" +
		"func f() {\n\t// nothing\n}\n\nvar a, b = 1,\n\t2\n"
	if n := codeLines([]byte(text)); n != 5 {
		t.Errorf("%d lines, want 5", n)
	}
}
