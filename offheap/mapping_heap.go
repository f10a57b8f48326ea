//go:build (!unix || race) && !explore

package offheap

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Memory is from Go's heap: where there is no mapping, and under the race detector. That knows Go's
// heap only: in mapped memory it reports races that are none, and misses others.

// reserve returns size bytes, zeroed and aligned to 4096.
func reserve(size uint64) ([]byte, error) {
	const alignment = 4096
	memory := make([]byte, size+alignment)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & (alignment - 1)
	return memory[skip : uint64(skip)+size : uint64(skip)+size], nil
}

// unmap leaves the memory to Go's collector.
func unmap([]byte) error { return nil }

// decommit gives nothing back.
func decommit([]byte) bool { return false }

// reserveStates returns n states, all 0.
func reserveStates(n uint64) (states []atomics.Uint32, memory []byte, err error) {
	return make([]atomics.Uint32, n), nil, nil
}
