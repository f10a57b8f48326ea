//go:build !wasip1

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
)

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
	rows := decode(t, out)
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
	page := filepath.Join(t.TempDir(), "out.html")
	if _, errs, status := freerun(t, "bench", "--from", saved(t), "--report", page, "--note", "On a train."); status != 0 {
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

// saved writes rows to a file, two of them simulated, and returns the file's name.
func saved(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, r := range []bench.Row{
		{Program: "fib", Variant: "futures", Processors: 1, NsPerOp: 100},
		{Program: "fib", Variant: "futures", Processors: 2, NsPerOp: 60},
		{Program: "fib", Variant: "futures", Processors: 1, NsPerOp: 100, Simulated: true},
		{Program: "fib", Variant: "futures", Processors: 16, NsPerOp: 10, Simulated: true},
	} {
		r.Params = []bench.Setting{{Name: "work", Value: 7}}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	name := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestReportOfSavedRows draws files and standard input, whole and broken.
func TestReportOfSavedRows(t *testing.T) {
	rows, page := saved(t), filepath.Join(t.TempDir(), "out.html")
	text, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, "bench", "--from", "-", "--report", page)
	c.Stdin = strings.NewReader(string(text) + "\n" + string(text[:40]))
	out, err := c.CombinedOutput()
	if err == nil || c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "--from -: line 6 is no row") {
		t.Errorf("%v, %q; want what is wrong with line 6", err, out)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Partial.", "work 7, 2: 1.67 times", "work 7, simulated, 16: 10 times"} {
		if !strings.Contains(string(html), word) {
			t.Errorf("the page does not say %q", word)
		}
	}
	if _, errs, status := freerun(t, "bench", "--from", rows, "--from", filepath.Join(t.TempDir(), "none"), "--report", page); status != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("exit status %d, standard error %q, want the file that is missing", status, errs)
	}
}

// TestReportTellsBeforeTheRun: files that cannot be written are reported at once, and existing
// files stay.
func TestReportTellsBeforeTheRun(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.html")
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	const long = "--size 1000000000 --runs 1000" // longer than a lifetime
	for args, says := range map[string]string{
		"pingpong " + long + " --report " + dir:                      "is a directory",
		"pingpong " + long + " --report " + dir + "/none/out.html":   "--report: open ",
		"pingpong " + long + " --svg " + old:                         "--svg: mkdir ",
		"pingpng " + long + " --report " + old:                       `did you mean "pingpong"?`,
		"pingpong " + long + " --cpuprofile /no/cpu --report " + old: "--cpuprofile: ",
		"--from " + old:                                "--from needs --report FILE or --svg FOLDER",
		"--from " + old + " fib --report " + old:       "fib cannot be measured beside it",
		"--from " + old + " --runs 3 --report " + old:  "--runs has no meaning beside it",
		"--from " + old + " --work 3 --report " + old:  "--work has no meaning beside it",
		"--from " + old + " --report /none/report.htm": "--report: open ",
	} {
		_, errs, status := freerun(t, append([]string{"bench"}, strings.Fields(args)...)...)
		if status != 2 || !strings.Contains(errs, says) {
			t.Errorf("bench %s: exit status %d, standard error %q, want %q", args, status, errs, says)
		}
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "old" {
		t.Errorf("the old page is %q, error %v", text, err)
	}
	made := filepath.Join(dir, "made.html")
	if _, errs, status := freerun(t, "bench", "fib", "--size", "10", "--runs", "1", "--variants", "serial", "--work", "5", "--processors", "1", "--report", made); status != 1 ||
		!strings.Contains(errs, "there is nothing to draw") {
		t.Errorf("exit status %d, standard error %q, want that there is nothing to draw", status, errs)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("a page of nothing was left behind")
	}
}

// TestInterruptedReport: the report has the rows until the interrupt, and says that it is
// incomplete.
func TestInterruptedReport(t *testing.T) {
	page := filepath.Join(t.TempDir(), "out.html")
	c := exec.Command(binary, "bench", "fib", "pingpong", "--json", "--runs", "10", "--size", "fib=10,pingpong=1000000", "--processors", "1,2", "--report", page)
	status, _, errs := interruptAfter(t, c, 3)
	if status != 130 || !strings.Contains(errs, "the report is "+page) {
		t.Errorf("exit status %d, standard error %q, want 130 and where the report is", status, errs)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Partial.", "ended before its time: interrupted", `id="fib-speedup"`} {
		if !strings.Contains(string(html), word) {
			t.Errorf("the page does not have %q", word)
		}
	}
}

// TestCommandsOfFigures: bench takes each command that the page names. Each fails only because its
// output cannot be written.
func TestCommandsOfFigures(t *testing.T) {
	page := filepath.Join(t.TempDir(), "out.html")
	if _, errs, status := freerun(t, "bench", "--from", saved(t), "--report", page); status != 0 {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`<code>freerun (bench [^<]+)</code></pre>`).FindAllStringSubmatch(string(html), -1)
	if len(commands) < 20 {
		t.Errorf("%d commands, want one for each figure", len(commands))
	}
	for _, command := range commands {
		_, errs, status := freerun(t, append(strings.Fields(command[1]), "--report", "/none/at/all")...)
		if status != 2 || !strings.Contains(errs, "--report: open") {
			t.Errorf("%s: exit status %d, standard error %q", command[1], status, errs)
		}
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
