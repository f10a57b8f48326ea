//go:build explore

package offheap

import "github.com/freerun-go/freerun/internal/sys/pin"

// Small, so that what is full or empty comes soon. Tests may change them.
var (
	magazineRoom  uint64 = 2
	magazineBytes uint64 = 1 << 20
	arenaShare    uint64 = 1
)

// processors is 1, so that what is cached does not depend on the machine.
func processors() int { return 1 }

// exclusive is false in tests of what is done where pins do not exclude: all threads have one cache then.
var exclusive = true

func pinHere() int {
	if !exclusive {
		return 0
	}
	return pin.Pin()
}
