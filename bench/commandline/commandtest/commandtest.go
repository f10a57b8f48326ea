// Package commandtest tests commands as users run them: the tests of freerun and of freerun-bench
// build the binary once, run it, and read its output.
package commandtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// Main builds the command in the working folder under a name, stores the path of the binary in
// binary, runs the tests and returns their exit status. Goroutines that are left fail them.
func Main(m *testing.M, name string, binary *string) int {
	dir, err := os.MkdirTemp("", "freerun")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*binary = filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		*binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", *binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	status := m.Run()
	if err := goleak.Find(); status == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

// Run runs the binary to its end and returns its output and its exit status.
func Run(t *testing.T, binary string, args ...string) (out, errs string, status int) {
	t.Helper()
	return Output(t, exec.Command(binary, args...))
}

// Output runs a command to its end and returns its output and its exit status.
func Output(t testing.TB, c *exec.Cmd) (out, errs string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

// Refuses holds that the command refuses a line of arguments with status 2 and one line on standard
// error, which contains says.
func Refuses(t *testing.T, binary, line, says string) {
	t.Helper()
	out, errs, status := Run(t, binary, strings.Fields(line)...)
	if status != 2 {
		t.Errorf("freerun %s: exit status %d, want 2", line, status)
	}
	if out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "freerun: ") {
		t.Errorf("freerun %s: wrote %q and %q, want one line on standard error", line, out, errs)
	}
	if !strings.Contains(errs, says) {
		t.Errorf("freerun %s: says %q, want %q in it", line, errs, says)
	}
}

// Decode reads one JSON object a line.
func Decode(t *testing.T, lines string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	for line := range strings.Lines(lines) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}
