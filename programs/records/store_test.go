package records

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// newArena returns an arena that must have no live block at the end of the test.
func newArena(t *testing.T, size int64) *offheap.Arena {
	t.Helper()
	arena, err := offheap.New(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := arena.Close(); err != nil {
			t.Error(err)
		}
	})
	return arena
}

func newStore(t *testing.T, size int64) *Store {
	t.Helper()
	r, err := NewStore(newArena(t, size))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// TestAgainstAMap does the same random changes to a store and to a map.
func TestAgainstAMap(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	r, model := newStore(t, 64<<20), make(map[uint64][]byte)
	for n := range 60_000 {
		key := random.Uint64N(5000) // 0 is a valid key
		want, there := model[key]
		switch random.IntN(3) {
		case 0:
			value := make([]byte, random.IntN(300)) // values may be empty, and change their size
			for i := range value {
				value[i] = byte(random.Uint32())
			}
			if err := r.Put(key, value); err != nil {
				t.Fatal(err)
			}
			model[key] = value
		case 1:
			if r.Delete(key) != there {
				t.Fatalf("seed %d, step %d: deleting key %d, which is there: %v", seed, n, key, there)
			}
			delete(model, key)
		default:
			got, found := r.Get(key, []byte("before:"))
			if found != there || !bytes.Equal(got, append([]byte("before:"), want...)) {
				t.Fatalf("seed %d, step %d: key %d is %q, %v; want %q, %v", seed, n, key, got, found, want, there)
			}
		}
		if n%1000 == 0 && r.Len() != len(model) {
			t.Fatalf("seed %d, step %d: %d records, want %d", seed, n, r.Len(), len(model))
		}
	}
}

// TestTableWithCollisions compares a small table with a map. All records have one of three homes,
// among them the last slot: searches are long and wrap around.
func TestTableWithCollisions(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	arena := newArena(t, 1<<20)
	view, err := offheap.ViewOf[slot](arena)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 300 {
		table, err := newTable(view)
		if err != nil {
			t.Fatal(err)
		}
		model := make(map[uint64]offheap.Block)
		for n := range 60 {
			hash := []uint64{15, 14, 3}[random.IntN(3)] | random.Uint64N(8)<<32
			if random.IntN(2) == 0 {
				record := offheap.Block(n + 1)
				before, err := table.put(hash, record)
				if err != nil || before != model[hash] {
					t.Fatalf("seed %d, round %d, step %d: put returns %v, %v; want %v", seed, round, n, before, err, model[hash])
				}
				model[hash] = record
			} else {
				if got := table.remove(hash); got != model[hash] {
					t.Fatalf("seed %d, round %d, step %d: remove returns %v, want %v", seed, round, n, got, model[hash])
				}
				delete(model, hash)
			}
			used := 0
			for _, s := range table.slots {
				if s.record != 0 {
					used++
				}
			}
			if table.used != len(model) || used != len(model) {
				t.Fatalf("seed %d, round %d, step %d: %d and %d slots used of %d records", seed, round, n, table.used, used, len(model))
			}
			for h, want := range model {
				if got := table.get(h); got != want {
					t.Fatalf("seed %d, round %d, step %d: the record of %#x is %v, want %v", seed, round, n, h, got, want)
				}
			}
		}
		table.free()
	}
}

// TestNoMemory fills a store until its arena is full. A value that does not fit is refused and
// changes nothing; after a deletion it fits again.
func TestNoMemory(t *testing.T) {
	r := newStore(t, 1<<20)
	value := bytes.Repeat([]byte{7}, 200)
	var n uint64
	for ; n < 1<<20; n++ {
		if err := r.Put(n, value); err != nil {
			if !errors.Is(err, offheap.ErrNoMemory) {
				t.Fatal(err)
			}
			break
		}
	}
	if n < 1000 || n > 4096 {
		t.Fatalf("%d records of 256 bytes in an arena of 1 MiB", n)
	}
	// The call that failed has given its record back: 256 bytes, which may have completed a free
	// block of the size that the table of a shard asked for, at most 2048 bytes.
	if err := r.Put(0, bytes.Repeat([]byte{8}, 4000)); !errors.Is(err, offheap.ErrNoMemory) {
		t.Errorf("a longer value than there is memory for: %v", err)
	}
	for key := range n {
		if got, found := r.Get(key, nil); !found || !bytes.Equal(got, value) {
			t.Fatalf("key %d of %d is %v, %v when the arena is full", key, n, got, found)
		}
	}
	if _, found := r.Get(n, nil); found || r.Len() != int(n) {
		t.Errorf("%d records, and the one that was refused is there: %v", r.Len(), found)
	}
	for key := range n / 2 {
		if !r.Delete(key) {
			t.Fatalf("key %d is not there", key)
		}
	}
	if err := r.Put(n, value); err != nil {
		t.Errorf("half of the records were deleted: %v", err)
	}
	if _, err := NewStore(newArena(t, 4096)); !errors.Is(err, offheap.ErrNoMemory) {
		t.Errorf("a store in an arena of a page: %v", err)
	}
}

// TestSharedKeys has goroutines change the same keys all the time. Each value read is a whole one
// that some goroutine wrote.
func TestSharedKeys(t *testing.T) {
	r := newStore(t, 16<<20)
	var group sync.WaitGroup
	for g := range byte(4) {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for range 5000 {
				key := random.Uint64N(50)
				switch random.IntN(3) {
				case 0:
					if err := r.Put(key, bytes.Repeat([]byte{g + 1}, 10+random.IntN(200))); err != nil {
						t.Error(err)
					}
				case 1:
					r.Delete(key)
				default:
					got, found := r.Get(key, nil)
					if found && (len(got) < 10 || bytes.Count(got, got[:1]) != len(got) || got[0] == 0 || got[0] > 4) {
						t.Errorf("key %d is %v", key, got)
					}
				}
			}
		})
	}
	group.Wait()
	if n := r.Len(); n > 50 {
		t.Errorf("%d records of 50 keys", n)
	}
}
