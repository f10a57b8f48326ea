package queue

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// TestSlotsLie holds where the slots of a ring lie: packed up to a line, else on whole lines.
func TestSlotsLie(t *testing.T) {
	slotsLie[turnSlot[uint64]](t, 16)
	slotsLie[turnSlot[[7]uint64]](t, prefetch.Line)
	slotsLie[turnSlot[[8]uint64]](t, 2*prefetch.Line)
	slotsLie[runSlot[pointing]](t, 2*prefetch.Line)
	slotsLie[turnSlot[[15]uint64]](t, 2*prefetch.Line)
	slotsLie[turnSlot[[100]byte]](t, 2*prefetch.Line)
}

// pointing is an item with a pointer, of a line and more whatever the size of a pointer is.
type pointing struct {
	_ *int
	_ [64]byte
}

func slotsLie[S any](t *testing.T, apart uintptr) {
	r := newRing[S]("TestSlotsLie", 4)
	for i := range r.size() {
		from, to := unsafe.Pointer(r.at(i)), unsafe.Pointer(r.at(i+1))
		if i+1 == r.size() {
			if to != unsafe.Pointer(r.at(0)) {
				t.Errorf("%T: the last slot is not followed by the first", *r.at(0))
			}
		} else if got := uintptr(to) - uintptr(from); got != apart {
			t.Errorf("%T: slots %d bytes apart, want %d", *r.at(0), got, apart)
		}
	}
}

// TestWideItemsStay holds that Go's collector finds what the items in slots with lines of their own
// point to.
func TestWideItemsStay(t *testing.T) {
	type wide [9]*[64]int
	for name, q := range startingAt[wide](64, 0) {
		for lap := range 2 {
			for n := range 64 {
				var item wide
				for i := range item {
					item[i] = &[64]int{n, i, lap}
				}
				if !q.TryEnqueue(item) {
					t.Fatalf("%s: full after %d items", name, n)
				}
			}
			runtime.GC()
			for range 4096 { // in place of what was collected
				churned = new([64]int)
			}
			for n := range 64 {
				item, ok := q.TryDequeue()
				if !ok {
					t.Fatalf("%s: empty after %d items", name, n)
				}
				for i, p := range item {
					if *p != [64]int{n, i, lap} {
						t.Fatalf("%s: item %d points to %v", name, n, p[:3])
					}
				}
			}
		}
	}
}

// churned keeps an allocation off the stack.
var churned *[64]int
