//go:build gc && (amd64 || arm64) && !race && !freerun_portable && !go1.27 && !explore

package queue

// vacate makes the slots, whose values are zero, vacant. No call has claimed any of them. Others
// may at most load a mark, as a hint, and find the old one or vacant, because only one byte of it
// changes. The segment is linked later, by an atomic operation; so the stores need no order, and
// are made many at a time. They also bring the cache lines to this core for writing, all at once;
// otherwise each put would fetch one: 5 to 10 ns an item less on two processors.
func vacate[T any](slots []segmentSlot[T]) { clear(slots) }
