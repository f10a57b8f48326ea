package tick

import (
	"syscall"
	"time"
)

// cpuTime returns how much CPU time the process has used.
func cpuTime() (time.Duration, error) {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, err
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, err
	}
	return ticks(kernel) + ticks(user), nil
}

// ticks turns a duration in units of 100 ns, which is what a Filetime can be too, into one of Go.
func ticks(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
