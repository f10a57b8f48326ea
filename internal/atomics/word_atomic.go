//go:build !(gc && amd64 && race) && !explore

package atomics

import "sync/atomic"

// word is what a RelaxedWord consists of where it is no plain word.
type word = atomic.Uint64
