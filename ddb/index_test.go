package ddb

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestIndexAgainstModel adds and removes entries, with few tags and with many, and compares with a
// map. Few tags make long searches over the end of a page, and more entries than a page has room
// for; many make pages split.
func TestIndexAgainstModel(t *testing.T) {
	for _, tags := range []uint32{1, 3, 300, 1 << 31} {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		var x index
		model := map[uint32]uint32{} // tags by number
		ids := []uint32{}
		most := 20_000
		if tags < 300 {
			most = 3 * pageSlots
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
		if crowded := x.crowd != nil; crowded && tags == 1<<31 {
			t.Errorf("seed %d: tags that differ make a crowd", seed)
		}
	}
}

// TestIndexWithAlikeTags: tags that differ in their lower bits only go into a crowd, in place of a
// directory that doubles for each of the bits which they have in common. After they have gone,
// nothing of the crowd is left.
func TestIndexWithAlikeTags(t *testing.T) {
	const n = 2000
	for alike := range 33 {
		var x index
		model := map[uint32]uint32{}
		tag := func(i uint32) uint32 { return 0xABCDEF12&^(1<<(32-alike)-1) + i*0x9E3779B1&(1<<(32-alike)-1) }
		for i := uint32(1); i <= n; i++ {
			x.add(tag(i), i)
			model[i] = tag(i)
		}
		checkIndex(t, &x, model, 0)
		if len(x.directory) > mostPlaces*x.pages {
			t.Errorf("%d bits alike: %d places for %d pages", alike, len(x.directory), x.pages)
		}
		for i := uint32(1); i <= n; i++ {
			x.remove(tag(i), i)
			delete(model, i)
			if i%97 == 0 {
				checkIndex(t, &x, model, 0)
			}
		}
		if x.crowd != nil {
			t.Errorf("%d bits alike: a crowd of %d is left", alike, len(x.crowd))
		}
	}
}

// TestManyKeysWithOneHash: a shard keeps working with as many keys of one hash as there are.
func TestManyKeysWithOneHash(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		const n = 3 * pageSlots
		s := newShardBench(t, Config{Values: values})
		s.records.hasher.mask = 0
		command := func(effect func(*shard, [][]byte, *writer), args ...string) string {
			var w writer
			s.begin()
			effect(&s.shard, words(args), &w)
			s.end()
			return string(w.buf)
		}
		for i := range n {
			command(set, "set", strconv.Itoa(i), strconv.Itoa(2*i))
		}
		s.check()
		for i := range n {
			if got := command(get, "get", strconv.Itoa(i)); got != bulk(strconv.Itoa(2*i)) {
				t.Fatalf("get %d: %q", i, got)
			}
		}
		if got := command(get, "get", "nothing"); got != "$-1\r\n" {
			t.Errorf("a key that is not there: %q", got)
		}
		for i := 0; i < n; i += 2 {
			p := part{picks: []int{1}}
			s.begin()
			if del(&s.shard, words([]string{"del", strconv.Itoa(i)}), &p); p.count != 1 {
				t.Fatalf("del %d", i)
			}
			s.end()
		}
		s.check()
		for i := range n {
			if got := command(strlen, "strlen", strconv.Itoa(i)); got == ":0\r\n" != (i%2 == 0) {
				t.Fatalf("strlen %d: %q", i, got)
			}
		}
	})
}

// TestHashesAreSeeded: each shard has hashes of its own, so that a client cannot prepare keys whose
// hashes are alike.
func TestHashesAreSeeded(t *testing.T) {
	one, other := newHasher(), newHasher()
	for i := range 4 {
		key := strconv.Itoa(i)
		if one.hashOf(key) == other.hashOf(key) {
			t.Errorf("%q has the same hash in two shards", key)
		}
		if one.hashOf(key) != one.hash([]byte(key)) {
			t.Errorf("%q has two hashes in one shard", key)
		}
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
	for _, ids := range x.crowd {
		sum += len(ids)
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
		if found != id && !slices.Contains(x.crowd[tag], id) {
			t.Fatalf("seed %d: entry %d with tag %x is not found", seed, id, tag)
		}
	}
}
