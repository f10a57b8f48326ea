//go:build linux && !race && !explore

package offheap

import "syscall"

// noReserve keeps the system from setting swap space aside for memory that may never be touched.
const noReserve = syscall.MAP_NORESERVE
