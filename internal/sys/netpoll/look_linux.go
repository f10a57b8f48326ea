//go:build !freerun_portable && !go1.27

package netpoll

import (
	"sync"
	"syscall"
	"unsafe"
)

// Go's poller has one descriptor of epoll. Such a descriptor can be polled itself: it is readable
// while it has events that nobody has fetched. So a look at it tells, in one system call that takes
// no event away and switches no goroutine, whether a poll would find anything. While a thread of Go
// waits for the network, that thread fetches each event at once, and a look finds nothing.

//go:linkname isPollDescriptor internal/poll.IsPollDescriptor
func isPollDescriptor(fd uintptr) bool

// epoll returns the descriptor of Go's poller, -1 if it cannot be found. A poller must have been
// made before: until then Go has none.
var epoll = sync.OnceValue(func() int32 {
	const mostDescriptors = 1 << 16
	strange, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return -1
	}
	defer syscall.Close(int(strange))
	for fd := range uintptr(mostDescriptors) {
		// Go also has an eventfd to wake the poller. Only a descriptor of epoll says that it does
		// not know another one.
		if isPollDescriptor(fd) && syscall.EpollCtl(int(fd), syscall.EPOLL_CTL_DEL, int(strange), nil) == syscall.ENOENT {
			return int32(fd)
		}
	}
	return -1
})

// pollfd is the argument of the system call ppoll.
type pollfd struct {
	fd              int32
	events, revents int16
}

const pollIn = 1

// nothingWaits reports whether a poll would find nothing.
func nothingWaits() bool {
	look := pollfd{fd: epoll(), events: pollIn}
	if look.fd < 0 {
		return false
	}
	var now syscall.Timespec
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&look)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return errno == 0 && look.revents == 0
}
