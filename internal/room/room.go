// Package room allocates the arrays of bounded containers and refuses sizes that are certainly
// mistakes.
package room

import (
	"math/bits"
	"unsafe"
)

// Most limits the bytes of one array: a terabyte, or the address space if that is smaller. Go ends
// a program that asks for more memory than the machine has, and nothing recovers from that. So a
// size that is certainly a mistake is refused before.
const Most = uint64(1) << min(40, bits.UintSize-2)

// Places returns the number of places for n elements: the next power of two. fits is false if they
// need more than Most bytes. n must not be negative.
func Places[S any](n int) (places int, fits bool) {
	var one S
	size := uint64(max(unsafe.Sizeof(one), 1))
	log := bits.Len(uint(max(n, 1) - 1))
	if size > Most>>log {
		return 0, false
	}
	return 1 << log, true
}

// For returns an array with Places(n) places. If they do not fit, it returns an empty array and
// false.
func For[S any](n int) (places []S, fits bool) {
	count, fits := Places[S](n)
	return make([]S, count), fits
}
