//go:build !unix && !windows

package bench

import (
	"os"
	"os/exec"
)

// setApart does nothing where there are no process groups.
func setApart(*exec.Cmd) {}

// interruptedAtBirth reports false where there are no process groups.
func interruptedAtBirth(*os.ProcessState) bool { return false }
