//go:build !explore

package offheap

import (
	"runtime"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

const (
	magazineRoom  = magazineRoomMost // most blocks of a magazine
	magazineBytes = 512 << 10        // most bytes of a magazine
	arenaShare    = 128              // a magazine has at most size/arenaShare/processors() bytes
)

// processors returns the number of processors that may have caches.
func processors() int { return runtime.GOMAXPROCS(0) }

// exclusive says whether a pin excludes all others from the processor's cache.
const exclusive = pin.Exclusive

// pinHere pins the caller and returns the index of its cache.
func pinHere() int { return pin.Pin() }
