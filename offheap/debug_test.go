//go:build freerun_debug

package offheap_test

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/offheap"
)

const debugEnabled = true

// TestUseAfterFree touches blocks that are not live any more.
func TestUseAfterFree(t *testing.T) {
	a := open(t, 1<<16)
	b := must(a.Alloc(100))
	a.Free(b)
	for what, f := range map[string]func(){
		"Bytes": func() { a.Bytes(b) }, "Size": func() { a.Size(b) }, "Free": func() { a.Free(b) }, "Resize": func() { a.Resize(b, 1) },
	} {
		says(t, what, message(t, f), what+" of block", "freed or resized before", "100 bytes, allocated by", "freed by", "TestUseAfterFree", "debug_test.go:")
	}
}

// TestPoison writes to blocks that were freed: whoever gets the memory next finds out.
func TestPoison(t *testing.T) {
	for _, size := range []int{100, 1 << 15} { // cached, and not
		a, err := offheap.New(1 << 16)
		if err != nil {
			t.Fatal(err)
		}
		b := must(a.Alloc(size))
		stale := a.Bytes(b)
		a.Free(b)
		stale[17] = 1
		text := message(t, func() {
			for range 1 << 16 / size {
				a.Alloc(size)
			}
		})
		says(t, "written", text, "somebody wrote to byte 17", "freed by", "TestPoison")
	}
}

// TestCanary writes behind a block.
func TestCanary(t *testing.T) {
	for what, f := range map[string]func(*offheap.Arena, offheap.Block){
		"Free":   func(a *offheap.Arena, b offheap.Block) { a.Free(b) },
		"Resize": func(a *offheap.Arena, b offheap.Block) { a.Resize(b, 10) },
	} {
		a, err := offheap.New(1 << 16)
		if err != nil {
			t.Fatal(err)
		}
		b := must(a.Alloc(1000))
		bytes := a.Bytes(b)
		for i := range bytes { // all of it is the program's
			bytes[i] = 1
		}
		*(*byte)(unsafe.Add(unsafe.Pointer(&bytes[0]), len(bytes)+3)) = 1
		says(t, what, message(t, func() { f(a, b) }), what+" of block", "behind which somebody wrote, 3 bytes beyond its 1024", "allocated by", "TestCanary")
	}
}

// TestLeaksSayWhere holds that what was not freed is found.
func TestLeaksSayWhere(t *testing.T) {
	a := open(t, 1<<16)
	b := must(a.AllocTagged(10, 5))
	leaks := a.Leaks()
	if len(leaks) != 1 || leaks[0].Block != b || leaks[0].Tag != 5 {
		t.Fatalf("%+v", leaks)
	}
	says(t, "a leak", leaks[0].Where, "TestLeaksSayWhere", "debug_test.go:")
	says(t, "Close", a.Close().Error(), "1 with tag 5", "TestLeaksSayWhere")
	a.Free(b)
}
