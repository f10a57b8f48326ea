//go:build !amd64 || !gc || race || freerun_portable || go1.27 || explore

package gc

import "github.com/freerun-go/freerun/internal/sync/atomics"

// publish stores a word after all earlier writes of the goroutine.
func publish(w *atomics.Release[uint64], v uint64) { w.Store(v) }
