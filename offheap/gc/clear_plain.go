//go:build gc && !race && !freerun_portable && !go1.27 && !explore

package gc

import "unsafe"

// clear makes an object zero. A late collector may still read the references that were there
// before. It reads an old reference, a new one or, on a 32-bit machine, half of each; [Heap.paint]
// checks a reference before following it. The zeros become visible before the object does: an
// atomic exchange publishes the object (new.go).
func (k *kind) clear(at unsafe.Pointer) {
	if k.size <= 64 {
		for i := uintptr(0); i < k.size; i += 8 {
			*(*uint64)(unsafe.Add(at, i)) = 0
		}
		return
	}
	clear(unsafe.Slice((*byte)(at), k.size))
}
