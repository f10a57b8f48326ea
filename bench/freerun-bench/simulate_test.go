package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"
)

// TestSimulate: simulate writes rows in the form of bench, which say that they are simulated. The
// same costs yield the same rows.
func TestSimulate(t *testing.T) {
	costs := filepath.Join(t.TempDir(), "costs.json")
	line := []string{"simulate", "fib", "--variants", "futures", "--size", "12", "--work", "0,100", "--processors", "1,2,32", "--json", "--calibration", costs, "--tolerance", "1e9"}
	out, errs, status := freerun(t, line...)
	if status != 0 || strings.Count(errs, "measuring the costs of fib/futures") != 2 {
		t.Fatalf("exit status %d, standard error %q", status, errs)
	}
	rows := commandtest.Decode(t, out)
	if len(rows) != 6 {
		t.Fatalf("%d rows, want 6:\n%s", len(rows), out)
	}
	for _, r := range rows {
		if r["simulated"] != true || len(r["busy_percent"].([]any)) != int(r["processors"].(float64)) {
			t.Errorf("%v", r)
		}
	}
	before, err := os.ReadFile(costs)
	if err != nil {
		t.Fatal(err)
	}
	again, errs, status := freerun(t, line...)
	if status != 0 || errs != "" || again != out {
		t.Errorf("by known costs: exit status %d, standard error %q,\n%s\nthen\n%s", status, errs, out, again)
	}
	out, _, status = freerun(t, "simulate", "ddb", "--variants", "units", "--size", "20", "--processors", "3", "--calibration", costs, "--tolerance", "1e9")
	if status != 0 || !strings.Contains(out, "share of the time that each processor was busy") {
		t.Errorf("exit status %d:\n%s", status, out)
	}
	after, err := os.ReadFile(costs)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(before), "ddb/units") || !strings.Contains(string(after), "ddb/units") || !strings.Contains(string(after), "fib/futures work=100") {
		t.Errorf("%s\nthen\n%s", before, after)
	}
}

// TestSimulateBadCalibration: a file that cannot be used is reported before anything runs, and
// stays as it is.
func TestSimulateBadCalibration(t *testing.T) {
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.json")
	if err := os.WriteFile(broken, []byte(`[{"pieces": [`), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		broken:                                "the calibration cannot be read",
		filepath.Join(folder, "none", "file"): "no such file or directory",
		folder:                                "is a directory",
	} {
		out, errs, status := freerun(t, "simulate", "fib", "--size", "10", "--calibration", name)
		if status != 2 || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%s: exit status %d, %q, %q", name, status, out, errs)
		}
	}
	if text, err := os.ReadFile(broken); err != nil || string(text) != `[{"pieces": [` {
		t.Errorf("%v, %q", err, text)
	}
}

// TestSimulateKeepsNoUnlikeCosts: costs whose simulation differs from the real runs are not kept,
// the message says why, and the simulation by them is still written.
func TestSimulateKeepsNoUnlikeCosts(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("the machine has one processor")
	}
	costs := filepath.Join(t.TempDir(), "costs.json")
	line := []string{"simulate", "fib", "--variants", "futures", "--size", "12", "--processors", "1", "--json", "--calibration", costs, "--tolerance"}
	out, errs, status := freerun(t, append(line, "1e-9")...)
	if status != 1 || strings.Count(errs, "measuring the costs of fib/futures") != 3 ||
		!strings.Contains(errs, "the costs of fib/futures work=0 are not kept: simulate: the simulation is not like real runs: with ") {
		t.Errorf("exit status %d, standard error %q", status, errs)
	}
	if rows := commandtest.Decode(t, out); len(rows) != 1 {
		t.Errorf("%d rows, want 1:\n%s", len(rows), out)
	}
	if text, err := os.ReadFile(costs); err != nil || strings.Contains(string(text), "fib/futures") {
		t.Errorf("%v, %q", err, text)
	}
	for _, none := range []string{"0", "-1", "NaN"} {
		if _, errs, status := freerun(t, append(line, none)...); status != 2 || !strings.Contains(errs, "must be above 0") {
			t.Errorf("--tolerance %s: exit status %d, %q", none, status, errs)
		}
	}
}

// TestSimulateModel: forks are simulated by the second model only, and there are two.
func TestSimulateModel(t *testing.T) {
	line := []string{"simulate", "fib", "--variants", "join", "--size", "10", "--processors", "2", "--json", "--model"}
	for model, says := range map[string]string{"1": "fib/join cannot be simulated", "0": "must be 1 or 2", "3": "must be 1 or 2"} {
		if out, errs, status := freerun(t, append(line, model)...); status != 2 || out != "" || !strings.Contains(errs, says) {
			t.Errorf("--model %s: exit status %d, %q, %q", model, status, out, errs)
		}
	}
	out, errs, status := freerun(t, append(line, "2")...)
	if rows := commandtest.Decode(t, out); status != 0 || len(rows) != 1 || rows[0]["variant"] != "join" {
		t.Errorf("exit status %d, %q, %q", status, out, errs)
	}
}
