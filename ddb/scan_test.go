package ddb

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestScanGuarantee: SCAN returns the keys that are present during the whole iteration, whatever is
// added, removed and expires meanwhile, and the iteration ends.
func TestScanGuarantee(t *testing.T) {
	for range 200 {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		const shards = 3
		var benches [shards]*shardBench
		for i := range benches {
			benches[i] = newShardBench(t, Config{Values: OffHeap})
		}
		staying := map[string]bool{}
		for i := range 60 {
			key := fmt.Sprint("staying", i)
			benches[i%shards].do("set", key, "v")
			staying[key] = true
			benches[i%shards].do("set", fmt.Sprint("leaving", i), "v")
		}
		query := &scanQuery{all: true, count: 1 + random.IntN(7)}
		for calls := 0; ; calls++ {
			if calls > 1000 {
				t.Fatalf("seed %d: the iteration does not end", seed)
			}
			home := query.shard(shards)
			b := benches[home]
			p := &part{scan: query, group: &group{batch: newBatch()}}
			b.begin()
			b.scan(p, query.position(shards))
			for _, key := range p.keys {
				delete(staying, key)
			}
			if query.cursor = nextCursor(home, shards, p.next); query.cursor == 0 {
				break
			}
			for range random.IntN(4) {
				i := random.IntN(60)
				b := benches[i%shards]
				switch random.IntN(3) {
				case 0:
					b.part(del, "del", fmt.Sprint("leaving", i))
				case 1:
					b.do("set", fmt.Sprint("added", calls, i), "v", "px", strconv.Itoa(1+random.IntN(50)))
				case 2:
					b.time += int64(random.IntN(10))
					b.begin()
					b.sweep(2)
					b.end()
				}
			}
		}
		if len(staying) > 0 {
			t.Fatalf("seed %d: %d keys were not returned: %v", seed, len(staying), staying)
		}
	}
}

func TestScanForeignCursor(t *testing.T) {
	b := newShardBench(t, Config{Values: OffHeap})
	b.do("set", "k", "v")
	for _, cursor := range []uint64{1, 2, 1 << 40, 1<<64 - 1} {
		query := &scanQuery{cursor: cursor, all: true, count: 10}
		p := &part{scan: query, group: &group{batch: newBatch()}}
		b.scan(p, query.position(4))
		if len(p.keys) != 1 || p.next != 0 {
			t.Errorf("cursor %d: %v, next %d", cursor, p.keys, p.next)
		}
	}
}
