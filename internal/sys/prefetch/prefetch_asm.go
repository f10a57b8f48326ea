//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package prefetch

import "unsafe"

// Way says for people what a hint becomes.
const Way = "assembly: the processor's instruction"

// ForWrite asks for the cache line of p, for writing, and does not wait for it. It is a hint: no
// address is wrong, nothing is read or written, and nothing is ordered. Any goroutine.
//
//go:noescape
func ForWrite(p unsafe.Pointer)

// RangeForWrite is [ForWrite] for so many lines, at least one, from the address p on.
//
//go:noescape
func RangeForWrite(p uintptr, lines int)
