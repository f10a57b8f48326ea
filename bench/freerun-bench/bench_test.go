package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"

	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/programs"
)

// tiny holds arguments with which every program ends at once.
var tiny = []string{"--size", "bank=10,tick=10,hot=10,submit=100,skynet=100,queues=100,locks=100,fib=10,ddb=20,pingpong=100,fanin=100,cas=100,create=100,switch=100,lock=100,matrix=10,city=10,eratosthenes=50,mandelbrot=10,news=10,producer=100,tokenring=10,alloc=10,trees=10,records=100", "--set", "alloc.blocks=1000", "--set", "city.units=10", "--runs", "2"}

func TestJSONLines(t *testing.T) {
	args := append([]string{"bench", "--json", "--processors", "1,2"}, tiny...)
	out, errs, status := freerun(t, args...)
	if status != 0 || errs != "" {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	const head = `{"program":"fib","variant":"serial","processors":1,"size":10,"operations":177,"ns_per_op":`
	if !strings.HasPrefix(out, head) {
		t.Errorf("begins with %.120q, want %q", out, head)
	}
	rows := commandtest.Decode(t, out)
	seen := map[string]bool{}
	for _, r := range rows {
		for _, field := range []string{
			"program", "variant", "processors", "size", "operations", "ns_per_op", "ns_min", "ns_max", "allocs_per_op", "checksum",
		} {
			if _, ok := r[field]; !ok {
				t.Errorf("%s is missing in %v", field, r)
			}
		}
		seen[r["program"].(string)+"/"+r["variant"].(string)] = true
		if r["program"] == "ddb" {
			for _, field := range []string{"ops_per_sec", "hot"} {
				if _, ok := r[field]; !ok {
					t.Errorf("%s is missing in %v", field, r)
				}
			}
		}
	}
	for _, name := range []string{
		"fib/futures", "fib/goroutines", "ddb/units", "ddb/channels", "ddb/mutex", "pingpong/units", "pingpong/channels",
		"fanin/units", "fanin/channels", "fanin/mutex",
	} {
		if !seen[name] {
			t.Errorf("no row for %s", name)
		}
	}
}

// TestOneSummaryWithoutProgressBar: without arguments except for sizes, bench measures all programs
// beside other libraries, and writes one summary of at most 40 lines. It writes nothing to a
// standard error that is not a terminal.
func TestOneSummaryWithoutProgressBar(t *testing.T) {
	out, errs, status := freerun(t, append([]string{"bench"}, tiny...)...)
	if status != 0 || errs != "" {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	if n := strings.Count(out, "\n"); n < 25 || n > 40 {
		t.Errorf("%d lines, want at most 40:\n%s", n, out)
	}
	for _, word := range []string{"freerun beside plain Go and other libraries, on ", "ratio", "a message between two units", "Gains: ", "the median of 2 runs", "--details"} {
		if !strings.Contains(out, word) {
			t.Errorf("%q is missing in\n%s", word, out)
		}
	}
	for _, word := range []string{"allocs/op", "Not measured", "Not compared", "\r", "\x1b"} {
		if strings.Contains(out, word) {
			t.Errorf("%q stands in\n%s", word, out)
		}
	}
}

// TestDetails: --details shows each variant of each program in one table, with the other libraries
// and the further figures.
func TestDetails(t *testing.T) {
	out, errs, status := freerun(t, append([]string{"bench", "--details"}, tiny...)...)
	if status != 0 || errs != "" {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	if n := strings.Count(out, "allocs/op"); n != 1 {
		t.Errorf("%d tables, want one:\n%s", n, out)
	}
	for _, word := range []string{
		"fib", "ddb", "pingpong", "fanin", "pond", "1.00  *", "messages run by each processor:", "raids: ", ", tasks taken: ",
	} {
		if !strings.Contains(out, word) {
			t.Errorf("%q is missing in\n%s", word, out)
		}
	}
	if strings.ContainsAny(out, "\r\x1b") {
		t.Errorf("control characters in\n%q", out)
	}
	if out, _, _ := freerun(t, "bench", "--rivals=false", "--size", "submit=10", "--variants", "tell,goroutines", "--runs", "1"); !strings.Contains(out, "allocs/op") {
		t.Errorf("chosen variants are not in a table:\n%s", out)
	}
}

// interruptAfter starts the command, interrupts it when it has written that many lines, and returns
// its exit status and output.
func interruptAfter(t *testing.T, c *exec.Cmd, after int) (status int, out, errs string) {
	t.Helper()
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	var text strings.Builder
	for n := 0; lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if n++; n == after {
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.Wait(); err == nil {
		t.Error("it ended well")
	}
	return c.ProcessState.ExitCode(), text.String(), stderr.String()
}

// TestInterrupt interrupts a bench whose first program is done and whose second would take minutes.
func TestInterrupt(t *testing.T) {
	status, out, errs := interruptAfter(t, exec.Command(binary, "bench", "fib", "pingpong", "--json", "--runs", "50", "--size", "fib=10,pingpong=1000000"), 3)
	if status != 130 {
		t.Errorf("exit status %d, want 130", status)
	}
	if rows := commandtest.Decode(t, out); len(rows) < 3 {
		t.Errorf("%d rows, want at least those of fib", len(rows))
	}
	if !strings.Contains(errs, "interrupted") {
		t.Errorf("standard error %q does not say that it was interrupted", errs)
	}
}

func TestProfiles(t *testing.T) {
	cpu, mem := filepath.Join(t.TempDir(), "cpu"), filepath.Join(t.TempDir(), "mem")
	_, errs, status := freerun(t, append([]string{"bench", "--cpuprofile", cpu, "--memprofile", mem}, tiny...)...)
	if status != 0 {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	for _, name := range []string{cpu, mem} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("profile %s: %v", name, err)
		}
	}
}

// TestWrongResult has a program with a wrong result.
func TestWrongResult(t *testing.T) {
	wrong := &programs.Program{
		Name:   "sum",
		Params: []programs.Param{{Name: programs.Size, Default: 1, Quick: 1, Max: 1}},
		Variants: []programs.Variant{{Name: "units", Run: func(programs.Config) (programs.Result, error) {
			return programs.Result{Operations: 1, Elapsed: 1, Checksum: "3"}, nil
		}}},
		Expected: func(programs.Values) string { return "4" },
	}
	var out, errs bytes.Buffer
	c := newBench([]*programs.Program{wrong}, nil)
	c.SetArgs([]string{"--in-process"})
	c.SetOut(&out)
	c.SetErr(&errs)
	c.SilenceErrors, c.SilenceUsage = true, true
	if status := commandline.Report(&errs, c.ExecuteContext(t.Context())); status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if want := "freerun: sum/units: wrong result: got 3, want 4\n"; errs.String() != want {
		t.Errorf("standard error %q, want %q", errs.String(), want)
	}
	if out.String() != "" {
		t.Errorf("a figure is reported all the same: %s", out.String())
	}
}
