//go:build !gc || !(amd64 || arm64) || freerun_portable || go1.27

package prefetch

import "unsafe"

// Way says for people what a hint becomes.
const Way = "nothing"

// ForWrite does nothing: the gain on this processor was not measured.
func ForWrite(unsafe.Pointer) {}

// RangeForWrite does nothing, either.
func RangeForWrite(uintptr, int) {}
