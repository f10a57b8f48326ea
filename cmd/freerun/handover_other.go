//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// become runs the command to its end on this command's terminal, because this system cannot replace
// a process. An interrupt from the terminal reaches both processes.
func become(command string, args []string) error {
	c := exec.Command(command, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return carryOut(c)
}
