package bench

import (
	"os"
	"os/exec"
	"syscall"
)

// setApart puts the child into a process group of its own, which Ctrl-C does not reach: the parent
// decides what follows.
func setApart(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// interruptedAtBirth reports false: a process is made in its group.
func interruptedAtBirth(*os.ProcessState) bool { return false }
