//go:build explore

package offheap

// Small, so that what is full or empty comes soon. Tests may change them.
var (
	magazineRoom  uint64 = 2
	magazineBytes uint64 = 1 << 20
	arenaShare    uint64 = 1
)
