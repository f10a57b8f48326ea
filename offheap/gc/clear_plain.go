//go:build gc && !race && !freerun_portable && !go1.27 && !explore

package gc

import "unsafe"

// clear makes an object zero. A late collector may still read the references that were there
// before. It reads an old one, a new one, or, on a machine of 32 bits, half of each: [Heap.paint]
// checks a reference before it follows it. The zeros are seen before the object is: an atomic
// exchange makes it known (new.go).
func (k *kind) clear(at unsafe.Pointer) {
	if k.size <= 64 {
		for i := uintptr(0); i < k.size; i += 8 {
			*(*uint64)(unsafe.Add(at, i)) = 0
		}
		return
	}
	clear(unsafe.Slice((*byte)(at), k.size))
}
