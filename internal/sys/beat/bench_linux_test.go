package beat_test

import "syscall"

func init() {
	nanosleep = func() { syscall.Nanosleep(&syscall.Timespec{Nsec: 1e6}, nil) }
}
