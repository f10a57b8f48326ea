//go:build unix

package programs

import (
	"syscall"
	"time"
)

// cpuTime returns how much CPU time the process has used, and whether the system tells.
func cpuTime() (time.Duration, bool) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, false
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
}
