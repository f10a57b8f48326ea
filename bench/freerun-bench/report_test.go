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
)

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
