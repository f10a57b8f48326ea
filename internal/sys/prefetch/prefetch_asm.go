//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package prefetch

import "unsafe"

// Way is a text for reports: the implementation of a hint in this build.
const Way = "assembly: the processor's instruction"

// ForWrite asks for the cache line of p, for writing, and does not wait for it. It is a hint: every
// address is allowed, no memory is read or written, and no access is ordered. Any goroutine may
// call it.
//
//go:noescape
func ForWrite(p unsafe.Pointer)

// RangeForWrite is [ForWrite] for a number of lines, at least one, from the address p on.
//
//go:noescape
func RangeForWrite(p uintptr, lines int)
