//go:build unix

package main

import (
	"os"
	"syscall"
)

// become replaces this process by the command. So signals, standard input and the exit status are
// the command's, and no process is left behind.
func become(command string, args []string) error {
	return syscall.Exec(command, append([]string{command}, args...), os.Environ())
}
