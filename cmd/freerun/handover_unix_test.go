//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptedBench interrupts a bench as a terminal does, which signals the whole process
// group. The bench notices one interrupt, not two: a second one would end it without its last
// rows.
func TestInterruptedBench(t *testing.T) {
	c := exec.Command(binary, "bench", "fib", "pingpong", "--json", "--runs", "50", "--size", "fib=10,pingpong=1000000")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog(t, c)
	n := 0
	for lines := bufio.NewScanner(stdout); lines.Scan(); { // until no process has standard output
		if n++; n == 3 {
			if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait()
	if c.ProcessState.ExitCode() != 130 || n < 3 || strings.Count(errs.String(), "interrupted: the measurement under way is the last") != 1 {
		t.Errorf("%v, %d rows, standard error %q; want exit status 130 after the measurement under way", c.ProcessState, n, &errs)
	}
	if err := syscall.Kill(-c.Process.Pid, 0); err != syscall.ESRCH {
		t.Errorf("a process is left behind: %v", err)
	}
}

// TestSecondInterrupt: the signal that ends the bench is seen by the caller, as no process stands
// between them.
func TestSecondInterrupt(t *testing.T) {
	// An interrupt between two measurements ends the bench by itself, with status 130, and nothing
	// outside tells when a measurement begins. Such an attempt says nothing: another is made.
	how := "exit status 130"
	for attempt := 0; attempt < 20 && how == "exit status 130"; attempt++ {
		how = interruptTwice(t)
	}
	if how != "signal: interrupt" {
		t.Errorf("the bench ended with %q, want the second interrupt to end it", how)
	}
}

// interruptTwice interrupts a bench about when its long measurement begins, and once more when it
// has said that this would end it. It returns how the bench ended.
func interruptTwice(t *testing.T) string {
	c := exec.Command(binary, "bench", "fib", "pingpong", "--variants", "serial,channels", "--json", "--runs", "1", "--size", "fib=10,pingpong=2_000_000_000")
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog(t, c)
	bufio.NewScanner(stdout).Scan() // fib is done
	_ = c.Process.Signal(os.Interrupt)
	told := bufio.NewScanner(stderr)
	for told.Scan() && !strings.Contains(told.Text(), "interrupt again to end at once") {
	}
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
	return c.ProcessState.String()
}

// TestInterruptedBuild interrupts the go command that builds freerun-bench: it ends, and so does
// freerun.
func TestInterruptedBuild(t *testing.T) {
	dir := t.TempDir()
	const slow = "#!/bin/sh\ntrap 'echo ended >&2; exit 1' INT\necho begun >&2\nwhile :; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(slow), 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, smallest...)
	c.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog(t, c)
	var told []string
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		told = append(told, lines.Text())
		if lines.Text() == "begun" {
			_ = c.Process.Signal(os.Interrupt)
		}
	}
	_ = c.Wait()
	if c.ProcessState.ExitCode() != 130 || len(told) != 3 || told[1] != "ended" || !strings.HasPrefix(told[2], "freerun: interrupted") {
		t.Errorf("%v, standard error %q, want exit status 130 after the go command's end", c.ProcessState, told)
	}
}

// TestFailedBuild: the go command tells why it cannot build, and one line tells that there is none.
func TestFailedBuild(t *testing.T) {
	dir := t.TempDir()
	c := exec.Command(binary, smallest...)
	c.Env = []string{"PATH=" + dir, "HOME=" + dir}
	out, err := c.CombinedOutput()
	if err == nil || c.ProcessState.ExitCode() != 1 || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "there is no go command that works: ") {
		t.Errorf("without a go command: %v, %q", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\necho it is broken >&2\nexit 7\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c = exec.Command(binary, smallest...)
	c.Env = []string{"PATH=" + dir, "HOME=" + dir}
	out, err = c.CombinedOutput()
	if err == nil || c.ProcessState.ExitCode() != 1 || string(out) != "it is broken\n" {
		t.Errorf("a build that fails: %v, %q", err, out)
	}
}
