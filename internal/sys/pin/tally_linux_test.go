//go:build gc && linux && (amd64 || arm64) && !race && !freerun_portable && !go1.27 && !explore

package pin_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

// TestMembarrierForbidden runs this program under a filter that refuses membarrier, as sandboxes
// do: it counts with fences.
func TestMembarrierForbidden(t *testing.T) {
	if pin.Status().Way != "membarrier" {
		t.Log("it is forbidden here already: ", pin.Status().Why)
		return
	}
	again(t, forbid+"=yes")
}

// forbid is the environment's word that has the program forbid itself membarrier, and start again.
const forbid = "PIN_TEST_FORBID"

func init() {
	if os.Getenv(forbid) != "yes" {
		return
	}
	os.Setenv(forbid, "done")
	runtime.LockOSThread()
	const setNoNewPrivileges, setSeccomp, filterMode = 38, 22, 2
	number := uint32(324)
	if runtime.GOARCH == "arm64" {
		number = 283
	}
	type instruction struct {
		code   uint16
		jt, jf uint8
		k      uint32
	}
	filter := []instruction{
		{0x20, 0, 0, 0},      // the number of the call
		{0x15, 0, 1, number}, // if it is that of membarrier,
		{0x06, 0, 0, 0x50000 | uint32(syscall.EPERM)}, // refuse,
		{0x06, 0, 0, 0x7fff0000},                      // otherwise allow
	}
	program := struct {
		n     uint16
		first *instruction
	}{uint16(len(filter)), &filter[0]}
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0); err != 0 {
		panic(err)
	}
	if _, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, setSeccomp, filterMode, uintptr(unsafe.Pointer(&program))); err != 0 {
		panic(err)
	}
	panic(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
}
