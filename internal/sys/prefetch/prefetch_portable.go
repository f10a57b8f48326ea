//go:build !gc || !(amd64 || arm64) || freerun_portable || go1.27

package prefetch

import "unsafe"

// Way is a text for reports: the implementation of a hint in this build.
const Way = "nothing"

// ForWrite does nothing: the gain on this processor was not measured.
func ForWrite(unsafe.Pointer) {}

// RangeForWrite does nothing.
func RangeForWrite(uintptr, int) {}
