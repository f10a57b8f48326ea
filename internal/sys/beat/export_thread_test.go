//go:build gc && linux && (amd64 || arm64) && !freerun_portable && !go1.27

package beat

import "unsafe"

// Thread returns the identity of the thread.
func Thread() int { return int(thread.Load()) }

// Millisecond and Futex are the first arguments of the thread's system calls.
var (
	Millisecond = uintptr(unsafe.Pointer(&millisecond))
	Futex       = uintptr(unsafe.Pointer(&left.Uint32))
)
