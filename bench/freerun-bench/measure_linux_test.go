package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestReplacedWhileItRuns: a bench measures with the code that it began with, though a later build
// replaces its file.
func TestReplacedWhileItRuns(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "freerun-bench")
	text, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o777); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("#!/bin/sh\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(file, "bench", "fib", "cas", "--json", "--runs", "3", "--size", "fib=10,cas=1000", "--processors", "1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog(t, c)
	rows := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if rows++; rows == 1 {
			if err := os.Rename(other, file); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.Wait(); err != nil {
		t.Errorf("after %d rows: %v", rows, err)
	}
}
