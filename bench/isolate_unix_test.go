//go:build unix

package bench

import (
	"os/exec"
	"syscall"
	"testing"
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
