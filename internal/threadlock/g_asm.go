//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package threadlock

import "unsafe"

// g returns the address of the running goroutine's g, which is never moved.
func g() unsafe.Pointer
