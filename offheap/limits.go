//go:build !explore

package offheap

import (
	"runtime"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

const (
	magazineRoom  = magazineRoomMost // blocks of a magazine at most
	magazineBytes = 512 << 10        // their bytes at most
	arenaShare    = 128              // and at most this part of the arena, divided by the number of processors
)

// processors is how many there are to have caches.
func processors() int { return runtime.GOMAXPROCS(0) }

// exclusive tells whether a pin excludes all others from its cache.
const exclusive = pin.Exclusive

// pinHere pins the caller and returns the number of its cache.
func pinHere() int { return pin.Pin() }
