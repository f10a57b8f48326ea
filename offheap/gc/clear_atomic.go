//go:build !gc || race || freerun_portable || go1.27 || explore

package gc

import "unsafe"

// clear makes an object zero: its references one by one and atomically, so that the race detector
// and the explorer know them as atomics.
func (k *kind) clear(at unsafe.Pointer) {
	for _, p := range k.plain {
		clear(unsafe.Slice((*byte)(unsafe.Add(at, p.offset)), p.size))
	}
	for _, r := range k.refs {
		fieldAt(unsafe.Add(at, r)).Store(0)
	}
}
