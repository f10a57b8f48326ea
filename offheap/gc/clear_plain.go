//go:build gc && !race && !freerun_portable && !go1.27 && !explore

package gc

import "unsafe"

// clear makes an object zero. Somebody who is late may still be looking at the references that were there before; what he reads, old or new or, on a machine
// of 32 bits, half of each, is a reference that [Heap.paint] checks before it follows it. What is done here is seen before the object is: it becomes known
// by an atomic exchange (new.go).
func (k *kind) clear(at unsafe.Pointer) {
	if k.size <= 64 {
		for i := uintptr(0); i < k.size; i += 8 {
			*(*uint64)(unsafe.Add(at, i)) = 0
		}
		return
	}
	clear(unsafe.Slice((*byte)(at), k.size))
}
