package ddb

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBlocksWasteLittle: for all lengths of a few kilobytes and of keys, the blocks have room for
// key and value, are no larger than a single block, and cost no less for a longer value. Where a
// key is not almost all of it, they have at most a third more than what is asked for, two links and
// the least block.
func TestBlocksWasteLittle(t *testing.T) {
	b := newShardBench(t, Config{Values: OffHeap})
	r := b.records
	least := r.arena.SizeFor(1)
	for _, keyLen := range []int{0, 1, 16, 100, 1000} {
		last := 0
		for n := keyLen; n < 9000; n++ {
			head, rest := r.blocksFor(keyLen, n)
			size, whole := head+rest, r.arena.SizeFor(n)
			if rest > 0 {
				if keyLen > head-linkBytes || size-linkBytes < n || r.arena.SizeFor(head) != head || r.arena.SizeFor(rest) != rest {
					t.Fatalf("a key of %d bytes, %d together: blocks of %d and %d", keyLen, n, head, rest)
				}
			}
			if size < n || size > whole || size < last {
				t.Fatalf("a key of %d bytes, %d together: %d and %d bytes; one byte less took %d", keyLen, n, head, rest, last)
			}
			if last = size; n > 2*keyLen+leastSplit && 3*size > 4*(n+2*linkBytes+least) {
				t.Fatalf("a key of %d bytes, %d together: %d and %d bytes", keyLen, n, head, rest)
			}
		}
	}
}

// TestBlocksKeepValues: whatever lengths a value has one after another, GET, MGET and STRLEN have
// it as it was written.
func TestBlocksKeepValues(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	b := newShardBench(t, Config{Values: OffHeap})
	text := make([]byte, 80_000)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(26))
	}
	piece := func() string {
		n := []int{1, 30, 200, 3000, 40_000}[random.IntN(5)]
		n = random.IntN(n + 1)
		if random.IntN(3) == 0 { // around the sizes of blocks
			n = max(1, 1<<random.IntN(16)+random.IntN(60)-30)
		}
		begin := random.IntN(len(text) - n)
		return string(text[begin : begin+n])
	}
	split := 0
	for _, key := range []string{"k", strings.Repeat("key", 20), strings.Repeat("key", 500)} {
		value := ""
		b.do("set", key, value)
		for range 3000 {
			switch p := piece(); random.IntN(3) {
			case 0:
				b.do("set", key, p)
				value = p
			case 1:
				if len(value)+len(p) > 100_000 {
					continue
				}
				b.do("append", key, p)
				value += p
			case 2:
				if got := b.do("getset", key, p); got != bulk(value) {
					t.Fatalf("seed %d: GETSET has %d bytes, not the %d that were written", seed, len(got), len(value))
				}
				value = p
			}
			if got := b.do("get", key); got != bulk(value) {
				t.Fatalf("seed %d: GET has %d bytes, not the %d that were written", seed, len(got), len(value))
			}
			if got := string(b.part(mget, "mget", key).values[1]); got != value {
				t.Fatalf("seed %d: MGET has %d bytes, not the %d that were written", seed, len(got), len(value))
			}
			if !b.records.restOf(b.records.find([]byte(key))).IsZero() {
				split++
			}
		}
	}
	if split < 500 {
		t.Errorf("seed %d: only %d of the values were in two blocks", seed, split)
	}
}

// TestBlocksCountNumbers: a number behind a key that is almost as long as a block is in two blocks,
// and counts on.
func TestBlocksCountNumbers(t *testing.T) {
	b := newShardBench(t, Config{Values: OffHeap})
	key := strings.Repeat("k", 50)
	b.do("set", key, "99999999999999999")
	if b.records.restOf(b.records.find([]byte(key))).IsZero() {
		t.Fatal("the number is in one block")
	}
	for _, want := range []string{":100000000000000000\r\n", ":100000000000000001\r\n"} {
		if got := b.do("incr", key); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
