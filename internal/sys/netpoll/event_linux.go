//go:build !freerun_portable && !go1.27

package netpoll

import (
	"encoding/binary"
	"os"
	"syscall"
	"time"
)

// one is the number 1 in the machine's order of bytes.
var one = func() (b [8]byte) {
	binary.NativeEndian.PutUint64(b[:], 1)
	return b
}()

// openEvent makes an eventfd that Go polls.
func openEvent() (*os.File, error) {
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("eventfd2", errno)
	}
	f := os.NewFile(fd, "eventfd")
	if err := f.SetReadDeadline(time.Time{}); err != nil { // Go does not poll this file
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
