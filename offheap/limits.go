//go:build !explore

package offheap

import "runtime"

const (
	magazineRoom  = magazineRoomMost // blocks of a magazine at most
	magazineBytes = 256 << 10        // their bytes at most
	arenaShare    = 512              // and at most this part of the arena, divided by the number of processors
)

// processors is how many there are to have caches.
func processors() int { return runtime.GOMAXPROCS(0) }
