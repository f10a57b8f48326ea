//go:build !explore

package gc

import "testing"

// TestChunksGoBack fills chunks, drops most objects, and goes through two cycles. After that the
// heap has the chunks with live objects, and of each type at most one chunk for each processor,
// with the rest of the objects that it reserved.
func TestChunksGoBack(t *testing.T) {
	h := openHeap(t, 8<<20, Manual())
	trees, cells := must(For[tree](h)), must(For[cell](h))
	var held []Root[tree]
	for i := range 20_000 {
		r := fresh(t, trees)
		if i%10_000 == 5_000 {
			held = append(held, r)
		} else {
			r.Drop()
		}
		fresh(t, cells).Drop()
	}
	collect(t, h, 2)
	left := map[*kind]int{} // chunks with reserved objects only
	for id := range h.directory.count.Load() + 1 {
		c := h.chunk(uint32(id))
		if c == nil || c.mode.Load()&modeMask == vacant {
			continue
		}
		objects, reserved := 0, 0
		for i := range c.words {
			allocated, announced := word(c.words[i].Load()).allocated(), c.kind.announced(c, i)
			for bit := range perWord {
				switch {
				case announced&(1<<bit) != 0:
					reserved++
				case allocated&(1<<bit) != 0:
					objects++
				}
			}
		}
		switch {
		case objects > 0:
		case reserved > 0:
			left[c.kind]++
		default:
			t.Errorf("chunk %d of %v is held after two collections, with no object in it, live or reserved", id, c.kind.typ)
		}
	}
	for k, n := range left {
		if most := len(*h.locals.Load()); n > most {
			t.Errorf("%d chunks of %v are held for objects that are reserved, by %d processors", n, k.typ, most)
		}
	}
	for _, r := range held {
		r.Drop()
	}
}

// TestReleaseInUse: a chunk with an object stays as it was when a sweeper tries to give its memory
// back, and new objects are made in it.
func TestReleaseInUse(t *testing.T) {
	h := openHeap(t, 1<<20, Manual())
	nodes := must(For[tree](h))
	a := fresh(t, nodes)
	chunks := 0
	for id := range min(h.directory.count.Load()+1, mostChunks) {
		c := h.chunk(uint32(id))
		if c == nil || c.mode.Load()&modeMask != open {
			continue
		}
		chunks++
		if _, ok := h.release(c); ok {
			t.Error("the memory of an object is given back")
		}
		if mode := c.mode.Load() & modeMask; mode != open {
			t.Errorf("the chunk is left in mode %d", mode)
		}
	}
	if chunks != 1 {
		t.Errorf("one object is in %d chunks", chunks)
	}
	b := fresh(t, nodes)
	if b.Value() == a.Value() {
		t.Error("two objects in one place")
	}
	a.Drop()
	b.Drop()
}
