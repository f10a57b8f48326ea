//go:build (gc && !race && !freerun_portable && !go1.27) || explore

package offheap

import "github.com/freerun-go/freerun/internal/sync/atomics"

// counter is a counter of one processor. Only a goroutine pinned to that processor adds; any
// goroutine may read it.
type counter = atomics.RelaxedUint64
