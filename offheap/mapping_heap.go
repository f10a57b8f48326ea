//go:build !unix || race || explore

package offheap

import "unsafe"

// Memory is from Go's heap: where there is no mapping, and where somebody watches who cannot see other memory.

const mapped = false

// reserve returns size bytes, zeroed and aligned to pages.
func reserve(size int) ([]byte, error) {
	memory := make([]byte, size+pageSize)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) & (pageSize - 1)
	return memory[skip : skip+size : skip+size], nil
}

// unreserve leaves the memory to Go's collector.
func unreserve([]byte) error { return nil }
