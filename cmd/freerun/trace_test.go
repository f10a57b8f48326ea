package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBadTraceLines: a wrong command line yields one line that says what is wrong and what would be
// right, nothing else, and status 2.
func TestBadTraceLines(t *testing.T) {
	for line, says := range map[string]string{
		"trace":                        `needs one program or recording, and has 0; programs are fib, ddb`,
		"trace fib":                    `-o is missing: the file to write, which ends in .html, .json or .trace`,
		"trace fib -o t.svg":           `-o is "t.svg", and must end in .html, .json or .trace`,
		"trace fib -o /nowhere/t.html": `-o is "/nowhere/t.html", which cannot be written: no such file or directory`,
		"trace fbi -o t.html":          `unknown program "fbi": did you mean "fib"?`,
		"trace fib --variant goroutines -o t.html": `fib/goroutines does not run on freerun, so there is nothing to record; of fib these do: join, join-closures, futures, lazy`,
		"trace fib --variant futurs -o t.html":     `did you mean "futures"?`,
		"trace trace.go -o t.trace":                `trace.go is a recording already; the ending must be .html or .json`,
		"trace fib --events 0 -o t.html":           `--events is 0, and must be at least 1`,
		"trace fib --for -1s -o t.html":            `--for is -1s, and must not be negative`,
		"trace fib --size 99 -o t.html":            `size is 99, and must be from 10 to 45`,
		"trace fib --processors 0 -o t.html":       `must be from 1 to 1024`,
		"trace trace.go --full -o t.html":          `--full is for a program that is run, and trace.go is a recording`,
		"trace trace.go -o ./trace.go":             `must end in .html, .json or .trace`,
	} {
		out, errs, status := freerun(t, strings.Fields(line)...)
		if status != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, says) {
			t.Errorf("freerun %s: exit status %d, wrote %q and %q, want %q in one line on standard error, and status 2", line, status, out, errs, says)
		}
	}
}

// TestTraceForms records a program in the raw form. The other forms are made from it, also from a
// raw recording that is cut off.
func TestTraceForms(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	out, errs, status := freerun(t, "trace", "fib", "--variant", "futures", "--size", "12", "--processors", "2", "-o", in("fib.trace"))
	if status != 0 || errs != "" || !strings.Contains(out, "fib.trace: 697 messages") {
		t.Fatalf("exit status %d, wrote %q and %q, want 697 messages: 465 calls, and a sum for each of those that call", status, out, errs)
	}
	for _, name := range []string{"fib.html", "fib.json"} {
		if out, errs, status := freerun(t, "trace", in("fib.trace"), "-o", in(name)); status != 0 || !strings.Contains(out, "697 messages") {
			t.Errorf("%s: exit status %d, wrote %q and %q", name, status, out, errs)
		}
	}
	page := contents(t, in("fib.html"))
	for _, want := range []string{"<h1>fib</h1>", "freerun/programs/fib.fib", "2 processors"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if !json.Valid(contents(t, in("fib.json"))) {
		t.Error("fib.json is no JSON")
	}

	whole := contents(t, in("fib.trace"))
	if err := os.WriteFile(in("cut.trace"), whole[:len(whole)-200], 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, status = freerun(t, "trace", in("cut.trace"), "-o", in("cut.html"))
	if status != 1 || !strings.Contains(errs, "cut off") || !strings.Contains(errs, "what could be read before is in") {
		t.Errorf("of one that is cut off: exit status %d, wrote %q and %q", status, out, errs)
	}
	if page := contents(t, in("cut.html")); !bytes.Contains(page, []byte("</html>")) {
		t.Error("what could be read is no page")
	}
	if err := os.WriteFile(in("none.trace"), []byte("something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, status = freerun(t, "trace", in("none.trace"), "-o", in("none.html"))
	if status != 1 || !strings.Contains(errs, "no recording of freerun") {
		t.Errorf("of what is no recording: exit status %d, wrote %q and %q", status, out, errs)
	}
	if _, err := os.Stat(in("none.html")); err == nil {
		t.Error("a page was made of what is no recording")
	}
	left, err := filepath.Glob(in(".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q are left behind, %v", left, err)
	}
}

func contents(t *testing.T, name string) []byte {
	t.Helper()
	all, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTraceLimits: a recording ends after that many events, or after some time, even if the program
// goes on.
func TestTraceLimits(t *testing.T) {
	for _, limit := range [][]string{{"--events", "5000"}, {"--for", "30ms"}} {
		file := filepath.Join(t.TempDir(), "t.html")
		args := append([]string{"trace", "pingpong", "--size", "100000000", "-o", file}, limit...)
		out, errs, status := freerun(t, args...)
		if status != 0 || errs != "" || !bytes.Contains(contents(t, file), []byte("pingpong/units")) {
			t.Errorf("%s: exit status %d, wrote %q and %q", limit, status, out, errs)
		}
		if limit[0] == "--events" && !strings.Contains(out, "messages, 5000 events") {
			t.Errorf("%s: wrote %q", limit, out)
		}
	}
}

// TestTraceInterrupt interrupts a program that would run for minutes. The recording until then is
// written.
func TestTraceInterrupt(t *testing.T) {
	file, folder := filepath.Join(t.TempDir(), "t.html"), t.TempDir()
	c := exec.Command(binary, "trace", "pingpong", "--size", "1000000000", "--for", "10m", "--events", "10000000", "-o", file)
	c.Env = append(os.Environ(), "TMPDIR="+folder)
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for { // until the recording has begun
		raw, err := filepath.Glob(filepath.Join(folder, "*.trace"))
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) == 1 {
			if info, err := os.Stat(raw[0]); err == nil && info.Size() > 100_000 {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != 130 {
		t.Errorf("%v, want exit status 130", err)
	}
	if !strings.Contains(errs.String(), "interrupted: "+file+" has what was recorded until then") {
		t.Errorf("standard error is %q", errs.String())
	}
	if !bytes.Contains(contents(t, file), []byte("</html>")) {
		t.Error("the page is not whole")
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("%q are left behind", left)
	}
}

// TestTraceKeepsWhatWasThere: a file is replaced when the new one is complete, and not before.
func TestTraceKeepsWhatWasThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.html")
	if err := os.WriteFile(file, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errs, status := freerun(t, "trace", "cas", "--size", "100", "-o", file)
	if status != 1 || !strings.Contains(errs, "made no runtime, so there is nothing to record") {
		t.Errorf("exit status %d, wrote %q", status, errs)
	}
	if got := contents(t, file); string(got) != "before" {
		t.Errorf("the file is %q", got)
	}
}
