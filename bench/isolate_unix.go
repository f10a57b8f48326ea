//go:build unix

package bench

import (
	"os"
	"os/exec"
	"syscall"
)

// setApart puts the child into a process group of its own. A terminal interrupts the parent's
// group: the parent decides what follows, and the child may have just begun, with no handler yet.
func setApart(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptedAtBirth reports whether an interrupt ended the child. Between its fork and its leaving
// the parent's group, a terminal's interrupt of the group reaches the child too, and only then:
// what ends the parent is a second interrupt, so the measurement is begun again. child is nil if
// there was no child.
func interruptedAtBirth(child *os.ProcessState) bool {
	if child == nil {
		return false
	}
	status, ok := child.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGINT || status.Signal() == syscall.SIGTERM)
}
