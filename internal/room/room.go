// Package room makes the arrays of bounded containers.
package room

import (
	"math/bits"
	"unsafe"
)

// Most is how many bytes one array may have: a terabyte, or what can be addressed if that is less. Go
// ends a program that asks for more than the machine has, and nothing recovers from that; so what is
// certain to be a mistake is found before.
const Most = uint64(1) << min(40, bits.UintSize-2)

// Places returns how many places there are for n elements: a power of two. fits is false if they have
// more than Most bytes. n must not be negative.
func Places[S any](n int) (places int, fits bool) {
	var one S
	size := uint64(max(unsafe.Sizeof(one), 1))
	log := bits.Len(uint(max(n, 1) - 1))
	if size > Most>>log {
		return 0, false
	}
	return 1 << log, true
}

// For returns as many places as Places says, and nothing if they do not fit.
func For[S any](n int) (places []S, fits bool) {
	count, fits := Places[S](n)
	return make([]S, count), fits
}
