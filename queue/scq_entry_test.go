package queue

import "testing"

// TestScqEntry holds what calls find in a slot against the table in scq_entry.go, in rings of
// several sizes and where laps wrap around.
func TestScqEntry(t *testing.T) {
	for _, slots := range []uint64{2, 4, 64, 1 << 31} {
		l := scqLayout(slots - 1)
		for _, p := range []uint64{0, slots, 1<<63 - slots, 1 << 63, -slots} {
			p += slots / 2
			const index = 0
			for _, c := range []struct {
				name  string
				word  uint64
				find  scqFind
				index uint64
			}{
				{"unused", l.unused(p), scqOpen, l.none()},
				{"void since a lap ago", l.void(p - slots), scqOpen, l.none()},
				{"void since long ago", l.void(p - 1000*slots), scqOpen, l.none()},
				{"full since a lap ago", l.full(p-slots, index), scqHeld, index},
				{"full since long ago", l.full(p-1000*slots, index), scqHeld, index},
				{"full", l.full(p, index), scqHere, index},
				{"void", l.void(p), scqHere, l.none()},
				{"full for the next lap", l.full(p+slots, index), scqGone, index},
				{"void for the next lap", l.void(p + slots), scqGone, l.none()},
				{"full for a much later lap", l.full(p+1000*slots, index), scqGone, index},
			} {
				if find := l.find(c.word, p); find != c.find || l.index(c.word) != c.index {
					t.Errorf("%d slots, position %#x, %s: find %d, index %#x; want %d, %#x",
						slots, p, c.name, find, l.index(c.word), c.find, c.index)
				}
			}
		}
	}
}
