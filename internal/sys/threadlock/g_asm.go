//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package threadlock

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// g returns the address of the running goroutine's g, which is never moved: in builds with assembly
// that is what goid takes for the goroutine's identity.
func g() unsafe.Pointer {
	id := goid.ID()
	return *(*unsafe.Pointer)(unsafe.Pointer(&id))
}
