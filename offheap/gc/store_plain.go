//go:build amd64 && gc && !race && !freerun_portable && !go1.27 && !explore

package gc

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// publish stores a word like its method Store: after all that the goroutine did before. On amd64 any store is that, and Go's compiler keeps the order of what reads
// and writes memory. It is here because a call of assembly is not inlined, and there are four such stores in the life of an object.
func publish(w *atomics.Release[uint64], v uint64) { *(*uint64)(unsafe.Pointer(w)) = v }
