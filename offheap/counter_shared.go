//go:build (!gc || race || freerun_portable || go1.27) && !explore

package offheap

import "github.com/freerun-go/freerun/internal/sync/atomics"

// counter is a counter to which several goroutines may add, where pins do not exclude.
type counter = atomics.Uint64
