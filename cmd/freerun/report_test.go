//go:build !wasip1

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"

	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
)

// The page of bench is tested here, as the tests in a browser are below this command. That
// freerun-bench draws it makes no difference to a user, nor to these tests.

// TestReport measures a little, and opens the resulting page in a browser.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	page, svgs := filepath.Join(dir, "out.html"), filepath.Join(dir, "svg")
	out, errs, status := freerun(t, "bench", "fib", "ddb", "producer", "--size", "fib=12,ddb=20,producer=100", "--work", "0,100", "--processors", "1,2", "--runs", "2",
		"--json", "--report", page, "--svg", svgs)
	if status != 0 {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	if !strings.Contains(errs, "the report is "+page) || !strings.Contains(errs, " figures are in "+svgs) {
		t.Errorf("standard error %q does not say where the figures are", errs)
	}
	rows := commandtest.Decode(t, out)
	for _, field := range []string{"machine", "system", "go", "command", "date", "cpu_ns_per_op"} {
		if _, ok := rows[0][field]; !ok {
			t.Errorf("%s is missing in %v", field, rows[0])
		}
	}
	files, err := filepath.Glob(filepath.Join(svgs, "*.svg"))
	if err != nil || len(files) < 10 {
		t.Errorf("%d files, error %v, want one for each chart", len(files), err)
	}

	b := browsertest.OpenFile(t, page, browsertest.Height(1000))
	ids := browsertest.Eval[[]string](b, `[...document.querySelectorAll("article.figure")].map(a => a.id)`)
	if want := "fib-speedup fib-lost fib-waste ddb-messages ddb-steals ddb-stolen ddb-use table1 messages trees"; strings.Join(ids, " ") != want {
		t.Errorf("figures %q, want %q", strings.Join(ids, " "), want)
	}
	if missing := browsertest.Eval[int](b, `document.querySelectorAll("#missing li").length`); missing != 14 {
		t.Errorf("%d figures are said to be missing, want the other 14", missing)
	}
	if text := browsertest.Eval[string](b, `document.querySelector("#fib-speedup svg").textContent`); !strings.Contains(text, "work 100, 1: 1") || !strings.Contains(text, "processors") {
		t.Errorf("the speed-up of fib shows %q", text)
	}
	if facts := browsertest.Eval[string](b, `document.querySelector(".facts").textContent`); !strings.Contains(facts, "freerun bench fib ddb producer") || !strings.Contains(facts, "go1.") {
		t.Errorf("the page is of %q", facts)
	}
	holdThemes(t, b)
	for _, width := range []int{400, 700, 1280} {
		b.Resize(width, 800)
		b.FitsItsWidth()
	}
}

// holdThemes presses the button, which must change the colours of the page and of its drawings.
func holdThemes(t *testing.T, b *browsertest.Page) {
	t.Helper()
	const look = `getComputedStyle(document.body).backgroundColor + " " + getComputedStyle(document.querySelector("svg text")).fill`
	before := browsertest.Eval[string](b, look)
	label := browsertest.Eval[string](b, `document.getElementById("theme").textContent`)
	after := browsertest.Eval[string](b, `document.getElementById("theme").click(), `+look)
	again := browsertest.Eval[string](b, `document.getElementById("theme").click(), `+look)
	for i, word := range strings.Split(before, ") ") {
		if label != "Dark" || strings.Split(after, ") ")[i] == word || again != before {
			t.Errorf("%q, then after %s %q, then %q", before, label, after, again)
		}
	}
}

// TestReportFollowsTheSystem opens a page where the system asks for dark pages.
func TestReportFollowsTheSystem(t *testing.T) {
	dir := t.TempDir()
	rows, page := filepath.Join(dir, "rows.jsonl"), filepath.Join(dir, "out.html")
	if err := os.WriteFile(rows, []byte(`{"program":"fib","variant":"futures","processors":1,"ns_per_op":100}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errs, status := freerun(t, "bench", "--from", rows, "--report", page, "--note", "On a train."); status != 0 {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	b := browsertest.OpenFile(t, page, browsertest.Dark())
	if label := browsertest.Eval[string](b, `document.getElementById("theme").textContent`); label != "Light" {
		t.Errorf("the button offers %q in the dark", label)
	}
	if note := browsertest.Eval[string](b, `document.querySelector(".note").textContent`); note != "On a train." {
		t.Errorf("the note is %q", note)
	}
	if paper := browsertest.Eval[string](b, `getComputedStyle(document.documentElement).getPropertyValue("--card")`); strings.TrimSpace(paper) != "#12171e" {
		t.Errorf("the paper is %q in the dark", paper)
	}
}

// TestPublishedReport opens the page that is in the repository, and takes a screenshot.
func TestPublishedReport(t *testing.T) {
	b := browsertest.OpenFile(t, "../../docs/report/index.html", browsertest.Height(1400))
	if n := browsertest.Eval[int](b, `document.querySelectorAll("article.figure svg").length`); n < 40 {
		t.Errorf("%d charts, want all", n)
	}
	if browsertest.Eval[bool](b, `!!document.getElementById("missing") || !!document.querySelector(".partial")`) {
		t.Error("the report is not whole: make report")
	}
	b.Screenshot("report")
	b.Resize(400, 800)
	b.FitsItsWidth()
}
