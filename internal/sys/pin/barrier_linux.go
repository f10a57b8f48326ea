//go:build gc && linux && (amd64 || arm64) && !race && !freerun_portable && !go1.27 && !explore

package pin

import (
	"runtime"
	"sync"
	"syscall"
)

// The membarrier system call has all threads of the process execute a memory barrier before it
// returns, so that sections need none (M. Desnoyers; Linux 4.14). It must be announced once in a
// process, which takes as long as a grace period of the kernel's.
const (
	askMembarrier      = 0
	globalMembarrier   = 1 << 0 // as slow as the announcement, which it does not need
	expeditedBarrier   = 1 << 3
	registerMembarrier = 1 << 4

	bothMembarriers = expeditedBarrier | registerMembarrier
)

// fenced says that membarrier is not to be had, and each section has to execute a barrier. It
// does not change.
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

// Prepare begins what makes the first [Rendezvous] slow, and does not wait for it. Any goroutine.
func Prepare() {
	if !fenced {
		prepare.Do(func() { go announcement.once.Do(announce) })
	}
}

var prepare sync.Once

// barrier has every thread of the process execute a memory barrier, unless each section does.
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
	// A filter that answers the question and forbids the rest. Today's Go stops the world for this
	// call.
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
}

// Status says how the package works in this process, and why. Any goroutine.
func Status() State { return state }
