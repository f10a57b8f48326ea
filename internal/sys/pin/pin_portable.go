//go:build (!gc || race || freerun_portable || go1.27) && !explore

package pin

import "unsafe"

// Exclusive is false: two goroutines may hold the same index at the same time.
const Exclusive = false

// The stripe is taken from the address of a local variable: stacks are at least 2 KiB apart, so the
// bits below tell frames apart rather than goroutines. Multiplying by 2^32 divided by the golden
// ratio brings the bits above into the topmost ones, evenly (Knuth, volume 3, section 6.4).
const (
	stackBits  = 11
	stripeBits = 4
	golden     = 0x9E3779B9
)

// Pin returns a stripe number, from 0 to 15, which is mostly the same for one goroutine and mostly
// different for two. It may change between two calls of one goroutine, and two goroutines may hold
// the same one. Any goroutine may call it; it never waits or allocates.
func Pin() int {
	var local byte
	stack := uint32(uintptr(unsafe.Pointer(&local)) >> stackBits)
	return int(stack * golden >> (32 - stripeBits))
}

// Unpin ends the section that the latest Pin of this goroutine began. Here it does nothing.
func Unpin() {}

// fenced is false: the claim of a stripe excludes other goroutines from its tally, and orders one
// holder after another.
const fenced = false

// barrier does nothing: in this build a caller claims each stripe once instead of calling
// [Rendezvous].
func barrier() {}

// Prepare does nothing.
func Prepare() {}

// Status returns how the package works in this build, and the reason. Any goroutine may call it.
func Status() State {
	return State{"claimed", "built " + why + ": stripes are claimed by compare-and-swap, and no goroutine is pinned"}
}
