//go:build !freerun_debug

package offheap_test

import (
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

const debugEnabled = false

// TestAllocatesNothing holds that no operation allocates on Go's heap.
func TestAllocatesNothing(t *testing.T) {
	a := open(t, 1<<20)
	v, _ := offheap.ViewOf[[5]int](a)
	if n := testing.AllocsPerRun(1000, func() {
		b := must(a.Alloc(1000))
		c := must(a.AllocZero(100_000))
		b, _ = a.Resize(b, 3000)
		a.Free(b)
		a.Free(c)
		r, _ := v.New()
		v.At(r)[0] = 1
		v.Free(r)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
