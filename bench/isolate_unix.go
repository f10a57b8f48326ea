//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// setApart puts the child into a process group of its own. A terminal interrupts the parent's
// group: the parent decides what follows, and the child may have just begun, with no handler yet.
func setApart(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
