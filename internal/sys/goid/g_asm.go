//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package goid

import "unsafe"

// G returns the address of the running goroutine's g, the struct in which Go's runtime keeps what
// it knows of the goroutine; nil where this build has no way to it. Which word of a g has what
// differs between versions of Go, so a reader learns it by comparing goroutines (Creator, package
// threadlock). A g never moves. Any goroutine.
func G() unsafe.Pointer {
	id := ID() // the address of the g, in these builds
	return *(*unsafe.Pointer)(unsafe.Pointer(&id))
}
