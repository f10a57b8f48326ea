//go:build (gc && !race && !freerun_portable && !go1.27) || explore

package offheap

import "github.com/freerun-go/freerun/internal/sync/atomics"

// counter is a counter of one processor, which is pinned when it adds; others may read it.
type counter = atomics.RelaxedUint64
