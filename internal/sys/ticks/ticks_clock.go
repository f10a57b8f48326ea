//go:build !(gc && amd64 && linux && !freerun_portable && !go1.27)

package ticks

import "time"

var base = time.Now()

// Counts reports whether Now is [Counter] and nothing else.
func Counts() bool { return false }

// Counter is Now.
func Counter() uint64 { return Now() }

// Now returns the time in ticks, which are nanoseconds. Any goroutine may call it; it does not
// wait.
func Now() uint64 { return uint64(time.Since(base)) }
