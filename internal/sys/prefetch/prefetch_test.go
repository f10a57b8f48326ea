package prefetch_test

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// TestForWriteChangesNothing gives hints of all kinds, also for addresses without memory, and
// checks the memory around.
func TestForWriteChangesNothing(t *testing.T) {
	words := make([]uint64, 1024)
	for i := range words {
		words[i] = uint64(i)
	}
	prefetch.ForWrite(nil)
	for i := range words {
		prefetch.ForWrite(unsafe.Pointer(&words[i]))
	}
	prefetch.RangeForWrite(0, 1)
	prefetch.RangeForWrite(uintptr(unsafe.Pointer(&words[0])), 2*len(words)*8/prefetch.Line)
	for i, w := range words {
		if w != uint64(i) {
			t.Fatalf("word %d is %d", i, w)
		}
	}
}

func BenchmarkForWrite(b *testing.B) {
	words := make([]uint64, 1024)
	for i := 0; b.Loop(); i++ {
		prefetch.ForWrite(unsafe.Pointer(&words[i&1023]))
	}
}
