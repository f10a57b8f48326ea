//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package goid

import "unsafe"

// G returns the address of the running goroutine's g, the struct in which Go's runtime keeps the
// state of the goroutine; nil in builds that cannot find it. The layout of a g differs between
// versions of Go, so readers learn it by comparing goroutines (Creator, package threadlock). A g
// never moves. Any goroutine may call G.
func G() unsafe.Pointer {
	id := ID() // the address of the g, in these builds
	return *(*unsafe.Pointer)(unsafe.Pointer(&id))
}
