//go:build explore

package offheap

// Small, so that what is full or empty comes soon. Tests may change them.
var (
	magazineRoom  uint64 = 2
	magazineBytes uint64 = 1 << 20
	arenaShare    uint64 = 1
)

// processors is 1, so that what is cached does not depend on the machine.
func processors() int { return 1 }
