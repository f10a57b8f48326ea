//go:build !gc || !(amd64 || arm64) || freerun_portable || go1.27

package prefetch

import "unsafe"

// Way says what a hint becomes, for people.
const Way = "nothing"

// ForWrite does nothing: on this processor nobody has measured what would be gained.
func ForWrite(unsafe.Pointer) {}

// RangeForWrite does nothing, either.
func RangeForWrite(uintptr, int) {}
