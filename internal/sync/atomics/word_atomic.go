//go:build (!gc || !(amd64 || arm64) || race || freerun_portable || go1.27) && !(gc && amd64 && race && !freerun_portable && !go1.27) && !explore

package atomics

import "sync/atomic"

// word is the content of a RelaxedWord in builds without plain words.
type word = atomic.Uint64
