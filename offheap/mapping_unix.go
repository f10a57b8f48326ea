//go:build unix && !race && !explore

package offheap

import "syscall"

// Memory is mapped from the system: it is not counted by Go's collector, costs nothing until it is touched, and goes back page by page.

const mapped = true

// reserve returns size bytes, zeroed and aligned to pages, which cost no memory until they are touched.
func reserve(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|noReserve)
}

// unreserve gives back what reserve returned. Nobody may touch it any more.
func unreserve(memory []byte) error { return syscall.Munmap(memory) }
