package ddb

import (
	"math/rand/v2"
	"testing"
)

// TestIndexAgainstModel adds and removes entries, with few tags and with many, and compares with a
// map. Few tags make long searches over the end of a page, many make pages split.
func TestIndexAgainstModel(t *testing.T) {
	for _, tags := range []uint32{1, 3, 300, 1 << 31} {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		var x index
		model := map[uint32]uint32{} // tags by number
		ids := []uint32{}
		most := 20_000
		if tags < 300 {
			most = mostUsed
		}
		// Tags that begin near the end of a page, so that searches go over it.
		base, spread := uint32(0), uint32(1)
		if tags >= 300 {
			spread = 0x9E3779B1 // pages can be split
		}
		for homeOf(base) < pageSlots-4 {
			base++
		}
		for step := range 100_000 {
			if grow := step < 50_000; len(ids) < most && (random.IntN(3) == 0) != grow || len(ids) == 0 {
				id := uint32(step + 1)
				tag := base + random.Uint32N(tags)*spread
				x.add(tag, id)
				model[id] = tag
				ids = append(ids, id)
			} else {
				i := random.IntN(len(ids))
				id := ids[i]
				ids[i] = ids[len(ids)-1]
				ids = ids[:len(ids)-1]
				x.remove(model[id], id)
				delete(model, id)
			}
			if step%997 == 0 {
				checkIndex(t, &x, model, seed)
			}
		}
		checkIndex(t, &x, model, seed)
	}
}

// checkIndex holds an index against a map, and against its invariants.
func checkIndex(t *testing.T, x *index, model map[uint32]uint32, seed uint64) {
	t.Helper()
	sum := 0
	for i, p := range x.directory {
		if i > 0 && p == x.directory[i-1] {
			continue
		}
		used := 0
		for _, slot := range p.slots {
			if slot != 0 {
				used++
			}
		}
		if used != int(p.used) {
			t.Fatalf("seed %d: a page has %d slots that are used, and says %d", seed, used, p.used)
		}
		sum += used
	}
	if sum != len(model) {
		t.Fatalf("seed %d: %d slots for %d entries", seed, sum, len(model))
	}
	for id, tag := range model {
		p := x.page(tag)
		found, at := p.search(tag, homeOf(tag))
		for found != id && found != 0 {
			found, at = p.search(tag, at)
		}
		if found != id {
			t.Fatalf("seed %d: entry %d with tag %x is not found", seed, id, tag)
		}
	}
}
