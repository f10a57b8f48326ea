//go:build gc && linux && (amd64 || arm64) && !race && !freerun_portable && !go1.27 && !explore

package pin

import (
	"runtime"
	"sync"
	"syscall"
)

// The membarrier system call has all threads of the process execute a memory barrier before it
// returns, so that sections need none (M. Desnoyers; Linux 4.14). A process must register for it
// once, which takes as long as a grace period of the kernel.
const (
	askMembarrier      = 0
	globalMembarrier   = 1 << 0 // needs no registration, and is as slow as one
	expeditedBarrier   = 1 << 3
	registerMembarrier = 1 << 4

	bothMembarriers = expeditedBarrier | registerMembarrier
)

// fenced is true if there is no membarrier, so that each section executes a barrier. It is set when
// the process begins.
var (
	fenced bool
	state  State
)

func init() {
	fenced, state = true, State{"fenced", "FREERUN_PIN=fenced is in the environment: each section executes a barrier"}
	if way, _ := syscall.Getenv("FREERUN_PIN"); way == "fenced" {
		return
	}
	switch can, err := membarrier(askMembarrier); {
	case err != 0:
		state.Why = "the system refuses membarrier (" + err.Error() + "): each section executes a barrier"
	case can&bothMembarriers != bothMembarriers:
		state.Why = "the system has no expedited membarrier: each section executes a barrier"
	default:
		fenced, state = false, State{"membarrier", "the system has an expedited membarrier: sections need no barrier"}
	}
}

func membarrier(command uintptr) (uintptr, syscall.Errno) {
	const onAMD64, onARM64 = 324, 283
	number := uintptr(onAMD64)
	if runtime.GOARCH == "arm64" {
		number = onARM64
	}
	result, _, err := syscall.Syscall(number, command, 0, 0)
	return result, err
}

var announcement struct {
	once   sync.Once
	failed bool
}

func announce() {
	_, err := membarrier(registerMembarrier)
	announcement.failed = err != 0
}

// Prepare begins the registration, which otherwise makes the first [Rendezvous] slow, and does not
// wait for it. Any goroutine may call it.
func Prepare() {
	if !fenced {
		prepare.Do(func() { go announcement.once.Do(announce) })
	}
}

var prepare sync.Once

// barrier has every thread of the process execute a memory barrier. It does nothing if fenced is
// true.
func barrier() {
	if fenced {
		return
	}
	announcement.once.Do(announce)
	if !announcement.failed {
		if _, err := membarrier(expeditedBarrier); err == 0 {
			return
		}
	}
	if _, err := membarrier(globalMembarrier); err == 0 {
		return
	}
	// A system-call filter allows askMembarrier and forbids the barriers. Today's Go stops the
	// world for ReadMemStats, which is a barrier too.
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
}

// Status returns how the package works in this process, and the reason. Any goroutine may call it.
func Status() State { return state }
