//go:build explore

package offheap

import "github.com/freerun-go/freerun/internal/sys/pin"

// The limits are small, so that magazines and depots are soon full or empty. Tests may change them.
var (
	magazineRoom  uint64 = 2
	magazineBytes uint64 = 1 << 20
	arenaShare    uint64 = 1
)

// processors returns 1, so that the caches do not depend on the machine.
func processors() int { return 1 }

// exclusive is false in tests of the code for pins that do not exclude: all threads share one cache
// then.
var exclusive = true

func pinHere() int {
	if !exclusive {
		return 0
	}
	return pin.Pin()
}
