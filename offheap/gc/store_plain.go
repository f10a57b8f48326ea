//go:build amd64 && gc && !race && !freerun_portable && !go1.27 && !explore

package gc

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// publish stores a word, as its method Store does: after all earlier writes of the goroutine. On
// amd64 every store is such a store, and Go's compiler keeps the order of memory accesses. publish
// exists because a call of assembly is not inlined, and an object's life has four such stores.
func publish(w *atomics.Release[uint64], v uint64) { *(*uint64)(unsafe.Pointer(w)) = v }
