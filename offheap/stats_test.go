package offheap

import (
	"errors"
	"testing"
)

// TestLargest holds that an arena which is larger than its largest block, as those above 64 GiB are, is counted in such blocks.
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
