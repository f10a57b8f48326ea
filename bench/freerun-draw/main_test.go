package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const rows = `{"program":"fib","variant":"futures","processors":1,"size":20,"ns_per_op":100,"work":7}
{"program":"fib","variant":"futures","processors":2,"size":20,"ns_per_op":60,"work":7}
`

// draw runs the command on rows and returns its output and its exit status.
func draw(rows string, args ...string) (out, errs string, status int) {
	var o, e bytes.Buffer
	status = run(args, strings.NewReader(rows), &o, &e)
	return o.String(), e.String(), status
}

func TestPage(t *testing.T) {
	out, errs, status := draw(rows, "--note", "nothing else ran", "--partial", "It rained.")
	if status != 0 || errs != "" {
		t.Fatalf("exit status %d, %q", status, errs)
	}
	for _, word := range []string{"nothing else ran", "It rained.", "work 7, 2: 1.67 times"} {
		if !strings.Contains(out, word) {
			t.Errorf("the page does not say %q", word)
		}
	}
}

func TestFigures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "svg")
	out, errs, status := draw(rows, "--svg", folder)
	files, err := os.ReadDir(folder)
	if err != nil || status != 0 || errs != "" || len(files) == 0 {
		t.Fatalf("exit status %d, %q, %v, %d files", status, errs, err, len(files))
	}
	names := strings.Fields(out)
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Size() == 0 || !strings.Contains(out, f.Name()+"\n") {
			t.Errorf("%s: %v, and the output is %q", f.Name(), err, out)
		}
	}
	if len(names) != len(files) {
		t.Errorf("%d names of %d files", len(names), len(files))
	}
}

// TestFaults: one line says what is wrong, and there is no page of no rows.
func TestFaults(t *testing.T) {
	for _, of := range []struct {
		rows, args, says string
		status           int
	}{
		{"", "", "freerun: there is nothing to draw", 1},
		{"no row\n", "", "line 1 is no row", 1},
		{rows, "page.html", `"page.html" is too much`, 2},
		{rows, "--svgs x", `did you mean "--svg"?`, 2},
		{rows, "--svg main.go", "main.go: not a directory", 1},
	} {
		out, errs, status := draw(of.rows, strings.Fields(of.args)...)
		if status != of.status || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, of.says) {
			t.Errorf("%q: exit status %d, %q, %q, want %d and %q", of.args, status, out, errs, of.status, of.says)
		}
	}
}
