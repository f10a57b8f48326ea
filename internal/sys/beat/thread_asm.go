//go:build gc && linux && (amd64 || arm64) && !freerun_portable && !go1.27

package beat

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	none    = 0  // no thread was made yet
	refused = -1 // the system refuses the thread, or what it needs
)

// thread is the identity of the thread, which the kernel stores (see B6), or none, or refused. The
// function start stores refused if there can be no thread, and the thread does when it ends.
var thread atomic.Int32

// zeros has the ends of the thread's stack and of its thread-local storage, both in the middle.
// Nobody writes there. A debugger that reads there finds neither a caller nor a goroutine.
//
//lint:ignore U1000 the assembly uses it
var zeros [8192]byte

// millisecond is the thread's pause.
var millisecond = syscall.Timespec{Nsec: 1e6}

// InTime reports whether the beats come from a thread that is not Go's, in time. It is true until
// the system refuses that thread, if it does. Any goroutine may call it.
func InTime() bool { return thread.Load() != refused }

// start has the thread beat, or the goroutine. The caller has brought left from 0 to most.
func start() {
	switch thread.Load() {
	case none:
		if spawn() > 0 {
			return
		}
		thread.Store(refused)
		go beatHere()
	case refused:
		go beatHere()
	default:
		const wakePrivate, one = 129, 1
		syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&left.Uint32)), wakePrivate, one, 0, 0, 0)
	}
}

// spawn makes the thread, and returns its identity, or the negative number of an error. It is one
// function of assembly: Go neither preempts it nor moves it to another thread, so the signals are
// blocked in the thread that clones, and then are as they were.
func spawn() int64
