//go:build freerun_debug

package offheap_test

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/offheap"
)

const debugEnabled = true

// TestUseAfterFree touches blocks that are no longer live.
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

// TestPoison writes to freed blocks: the next Alloc of the memory panics.
func TestPoison(t *testing.T) {
	for _, size := range []int{100, 1 << 15} { // a cached class, and one that is not
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
		says(t, "written", text, "the program wrote to byte 17", "freed by", "TestPoison")
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
		for i := range bytes { // all bytes are the program's
			bytes[i] = 1
		}
		*(*byte)(unsafe.Add(unsafe.Pointer(&bytes[0]), len(bytes)+3)) = 1
		says(t, what, message(t, func() { f(a, b) }), what+" of block", "wrote behind the block, 3 bytes beyond its 1024", "allocated by", "TestCanary")
	}
}

// TestLeaksSayWhere holds that Leaks finds blocks that were not freed, and where they were
// allocated.
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
