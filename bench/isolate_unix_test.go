//go:build unix

package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freerun-go/freerun/programs"
)

// TestChildIsApart: an interrupt of the parent's group does not reach the process that measures.
func TestChildIsApart(t *testing.T) {
	child := exec.Command("sleep", "60")
	setApart(child)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	if group, err := syscall.Getpgid(child.Process.Pid); err != nil || group != child.Process.Pid {
		t.Errorf("the process group is %d, %v; want %d, the child's own", group, err, child.Process.Pid)
	}
}

// TestInterruptedAtBirth: a measuring process that an interrupt ends before it has begun is made
// again, once. Another signal, and a second interrupt, end the measurement.
func TestInterruptedAtBirth(t *testing.T) {
	for script, want := range map[string]string{
		"echo >> $0.count; [ $(wc -l < $0.count) = 1 ] && kill -INT $$; echo '{\"result\":{\"Checksum\":\"ok\"}}'":  "",
		"echo >> $0.count; [ $(wc -l < $0.count) = 1 ] && kill -TERM $$; echo '{\"result\":{\"Checksum\":\"ok\"}}'": "",
		"echo >> $0.count; kill -INT $$":  "signal: interrupt",
		"echo >> $0.count; kill -KILL $$": "signal: killed",
	} {
		command := filepath.Join(t.TempDir(), "child")
		if err := os.WriteFile(command, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		r, err := Isolated(command)(context.Background(), &programs.Program{Name: "p"}, programs.Variant{Name: "v"}, programs.Config{Processors: 1})
		if want == "" && (err != nil || r.Checksum != "ok") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v; want %q", script, r, err, want)
		}
		count, err := os.ReadFile(command + ".count")
		begun := map[bool]int{true: 1, false: 2}[strings.Contains(script, "KILL")]
		if err != nil || len(count) != begun {
			t.Errorf("%s: begun %d times, want %d, %v", script, len(count), begun, err)
		}
	}
}
