package offheap

import "testing"

// TestSlots holds that every place has a state of its own, and that the states of all blocks of one
// size are on as few cache lines as the table promises.
func TestSlots(t *testing.T) {
	for _, places := range []uint64{1, 2, 128, 1000, 1 << 15, 3<<15 + 5} {
		for _, least := range []uint{5, 8, 12} {
			var table states
			if err := table.init(places, least); err != nil {
				t.Fatal(err)
			}
			seen := map[uint64]uint64{}
			for place := range places {
				slot := table.slot(place)
				if other, taken := seen[slot]; taken || slot >= uint64(len(table.words)) {
					t.Fatalf("%d places of order %d: place %d is at %d of %d, as is %d", places, least, place, slot, len(table.words), other)
				}
				seen[slot] = place
			}
			if err := unmap(table.memory); table.memory != nil && err != nil {
				t.Error(err)
			}
		}
	}
	var table states
	if err := table.init(1<<15, 5); err != nil {
		t.Fatal(err)
	}
	lines := func(order uint) int {
		lines := map[uint64]bool{}
		for place := uint64(0); place < 1<<15; place += 1 << (order - 5) {
			lines[table.slot(place)/apart] = true
		}
		return len(lines)
	}
	for order, want := range map[uint]int{9: 128 + 128, 12: 128 + 128, 13: 128, 16: 16} {
		if got := lines(order); got != want {
			t.Errorf("the states of all blocks of order %d are on %d lines, not %d", order, got, want)
		}
	}
	// A refill takes 16 adjacent blocks. Their states share no cache line with those of another
	// refill, except for small blocks: then at most those do at which a block of 512 bytes could
	// begin.
	for order := uint(5); order < 17; order++ {
		owners, shared, step := map[uint64]uint64{}, 0, uint64(1)<<(order-5)
		blocks := uint64(1<<15) / step
		for block := range blocks {
			line := table.slot(block*step) / apart
			if first, known := owners[line]; known && first != block/16 {
				shared++
			} else {
				owners[line] = block / 16
			}
		}
		most := 0
		if order < middleOrder {
			most = int(blocks >> (middleOrder - order)) // those that begin where a larger one could
		}
		if shared > most {
			t.Errorf("%d states of blocks of order %d are on a line with others' states, want at most %d", shared, order, most)
		}
	}
	if table.memory != nil {
		if err := unmap(table.memory); err != nil {
			t.Error(err)
		}
	}
}
