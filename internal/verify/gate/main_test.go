package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const results = `{"package":"queue","test":"TestExploreStack/exhaustive","way":"exhaustive","executions":210,"extent":"all interleavings"}
{"package":"deque","test":"TestExploreGrowable","way":"frozen","executions":40,"extent":"40 stops"}
{"package":"queue","test":"TestExploreStack/two","way":"exhaustive","executions":5,"extent":"all with at most 2 preemptions"}
{"package":"queue","test":"TestExploreStack/three","way":"exhaustive","executions":6,"extent":"all interleavings"}
{"package":"queue","test":"TestExploreABA","way":"control","executions":7,"extent":"lost 1 | 2, at stack.go:7"}
`

func TestRun(t *testing.T) {
	dir := t.TempDir()
	in, page := filepath.Join(dir, "in"), filepath.Join(dir, "page")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(in, results)
	write(page, "before\n"+begin+"old\n"+end+"after\n")
	for range 2 { // what it wrote itself it can replace
		if err := run(in, page); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + begin + `
| package | test | way | programs | executions | extent |
| --- | --- | --- | ---: | ---: | --- |
| deque | Growable | frozen | 1 | 40 |  |
| queue | Stack | exhaustive | 3 | 221 | all interleavings; all with at most 2 preemptions |

4 programs in 261 executions, none of them wrong. The controls, seeded bugs that must be found:

| package | control | after executions | found |
| --- | --- | ---: | --- |
| queue | ABA | 7 | lost 1 \| 2 |

` + end + "after\n"
	if string(text) != want {
		t.Errorf("wrote\n%s\nwant\n%s", text, want)
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ results, page, want string }{
		"nothing explored": {"", begin + end, "no results"},
		"not JSON":         {results + "x\n", begin + end, "line 6"},
		"no marks":         {results, "page\n", "marks are missing"},
	} {
		in, page := filepath.Join(dir, name+" in"), filepath.Join(dir, name+" page")
		if err := os.WriteFile(in, []byte(c.results), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, []byte(c.page), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(in, page); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if text, _ := os.ReadFile(page); string(text) != c.page {
			t.Errorf("%s: the page was changed", name)
		}
	}
	if err := run(filepath.Join(dir, "missing"), "page"); err == nil {
		t.Error("a missing file was accepted")
	}
}
