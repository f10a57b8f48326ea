package offheap

import (
	"errors"
	"testing"
)

// TestLargest holds the figures of an arena that is larger than its largest block, as arenas above
// 64 GiB are: its free memory is counted in such blocks.
func TestLargest(t *testing.T) {
	a, err := New(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	a.top = 4
	if _, err := a.Alloc(513); !errors.Is(err, ErrNoMemory) {
		t.Errorf("a block that is too large: %v", err)
	}
	b, err := a.Alloc(512)
	if err != nil {
		t.Fatal(err)
	}
	s := a.Stats()
	free := int64(0)
	for _, c := range s.Classes {
		free += c.Free * c.Size
	}
	if free != s.Free || s.Largest != 512 || len(s.Classes) != 5 {
		t.Errorf("%d bytes are free by class: %+v", free, s)
	}
	if len(a.Leaks()) != 1 {
		t.Errorf("%+v", a.Leaks())
	}
	a.Free(b)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// magazines returns the number of magazines of a class, and of their hints.
func (a *Arena) magazines(class uint) (n, hints int) {
	for m := a.depots[class].all.Load(); m != nil; m = m.next {
		n++
		hints += int(m.count.Load())
	}
	return n, hints
}

// TestMagazinesAreBounded holds that magazines are used again, and that a refused Free leaves no
// hint.
func TestMagazinesAreBounded(t *testing.T) {
	a, err := New(1 << 26)
	if err != nil {
		t.Fatal(err)
	}
	blocks := make([]Block, 3000)
	for range 50 {
		for i := range blocks {
			if blocks[i], err = a.Alloc(1000); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range blocks {
			a.Free(b)
		}
	}
	class := a.classOf(1000)
	caches := len(*a.caches.Load())
	if n, _ := a.magazines(class); n > 2*caches+fullSlots+2 {
		t.Errorf("%d magazines for %d caches and one goroutine", n, caches)
	}
	a.reclaim()
	a.tidy()
	_, before := a.magazines(class)
	for range 10 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a second Free")
				}
			}()
			a.Free(blocks[0])
		}()
	}
	if _, hints := a.magazines(class); hints != before {
		t.Errorf("%d hints before, and %d after what was refused", before, hints)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
