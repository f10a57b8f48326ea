//go:build unix && !linux && !race && !explore

package offheap

import (
	"syscall"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Memory is mapped from the system, as in mapping_linux.go. But the standard library has no call
// here that gives back pages which are zero afterwards.

// reserve returns size bytes, zeroed and aligned to pages, which cost no memory until they are
// touched.
func reserve(size uint64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

// unmap gives back memory that reserve returned. It must not be touched any more.
func unmap(memory []byte) error { return syscall.Munmap(memory) }

// decommit gives nothing back here.
func decommit([]byte) bool { return false }

// reserveStates returns n states, all 0, and their memory, for unmap.
func reserveStates(n uint64) (states []atomics.Uint32, memory []byte, err error) {
	const size = unsafe.Sizeof(atomics.Uint32{})
	if memory, err = reserve(n * uint64(size)); err != nil {
		return nil, nil, err
	}
	return unsafe.Slice((*atomics.Uint32)(unsafe.Pointer(unsafe.SliceData(memory))), n), memory, nil
}
