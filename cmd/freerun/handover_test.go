package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// smallest is the smallest measurement.
var smallest = []string{"bench", "fib", "--variants", "serial", "--size", "10", "--runs", "1", "--processors", "1", "--json"}

// holdSmallest fails unless the output is that of the smallest measurement.
func holdSmallest(t *testing.T, out, errs string, status int) {
	t.Helper()
	const head = `{"program":"fib","variant":"serial","processors":1,"size":10,"operations":177,"ns_per_op":`
	if status != 0 || errs != "" || strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, head) {
		t.Fatalf("exit status %d, %q, %q, want one row with the head %s", status, out, errs, head)
	}
	var row struct{ Checksum, Command string }
	if err := json.Unmarshal([]byte(out), &row); err != nil || row.Checksum != "55" || row.Command != "freerun "+strings.Join(smallest, " ") {
		t.Errorf("%v, %+v, want fib(10) and the command line as it was typed", err, row)
	}
}

// TestBenchOfTheOwnClone: a command that was compiled in a clone measures, wherever it is called,
// and names the clone's commit.
func TestBenchOfTheOwnClone(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		out, errs, status := in(t, dir, binary, smallest...)
		holdSmallest(t, out, errs, status)
		commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
		if err != nil {
			t.Logf("no commit to compare with: %v", err) // no git, or an archive of the source
			continue
		}
		if want := `"commit":"` + string(commit[:12]); !strings.Contains(out, want) {
			t.Errorf("%q, want %s in it", out, want)
		}
	}
}

// TestArgumentsAndInput: freerun-bench has the arguments, the standard input and the exit status.
func TestArgumentsAndInput(t *testing.T) {
	out, errs, status := freerun(t, "bench", "fbi")
	if status != 2 || out != "" || !strings.HasPrefix(errs, `freerun: unknown program "fbi": did you mean "fib"?`) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit status %d, %q, %q", status, out, errs)
	}
	if out, errs, status = freerun(t, "simulate", "fib", "--variants", "join"); status != 2 || out != "" || !strings.Contains(errs, "fib/join cannot be simulated") {
		t.Errorf("exit status %d, %q, %q", status, out, errs)
	}
	c := exec.Command(binary, "bench", "--from", "-", "--svg", filepath.Join(t.TempDir(), "svg"))
	c.Stdin = strings.NewReader("no row\n")
	if out, err := c.CombinedOutput(); err == nil || c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "--from -: line 1 is no row") {
		t.Errorf("%v, %q, want what is wrong with the first line", err, out)
	}
}

// TestBenchOfACommandWithoutClone: a command that knows no clone tells what is missing. It finds
// freerun-bench beside itself, and the clone around the working folder.
func TestBenchOfACommandWithoutClone(t *testing.T) {
	dir := t.TempDir()
	apart := filepath.Join(dir, executable("freerun"))
	// What -trimpath does, for the package that looks for its own file: with -trimpath itself all
	// packages are compiled anew, those of Go as well.
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	unaware := "-gcflags=github.com/freerun-go/freerun/bench/commandline/companion=-trimpath=" + clone + "=>"
	must(t, ".", "go", "build", unaware, "-o", apart, ".")
	outside := func() (out, errs string, status int) { return in(t, dir, apart, smallest...) }

	out, errs, status := outside()
	const want = "freerun: bench and simulate are in a command of their own, freerun-bench, which is not installed: " +
		"go install github.com/freerun-go/freerun/bench/freerun-bench@"
	if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, want) {
		t.Errorf("exit status %d, %q, %q, want what to install", status, out, errs)
	}
	if out, _, status := in(t, dir, apart, "version"); status != 0 || !strings.HasPrefix(out, "freerun ") {
		t.Errorf("the rest of the command: exit status %d, %q", status, out)
	}

	out, errs, status = in(t, "internal", apart, smallest...)
	holdSmallest(t, out, errs, status)

	beside := filepath.Join(dir, executable("freerun-bench"))
	imitate(t, apart, beside)
	if out, errs, status := outside(); status != 1 || out != "" || !strings.Contains(errs, beside+" is another command: go install ") {
		t.Errorf("beside another command: exit status %d, %q, %q", status, out, errs)
	}
	must(t, ".", "go", "build", unaware, "-o", beside, "../../bench/freerun-bench")
	out, errs, status = outside()
	holdSmallest(t, out, errs, status)
}

// executable returns the file name of a command on this system.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// imitate copies a command to another name.
func imitate(t *testing.T, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o777)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, source); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
