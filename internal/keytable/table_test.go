package keytable

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// entry returns a new entry.
func entry[K comparable](key K) *Entry[K] { return &Entry[K]{key} }

// check compares a table with a model, and looks at what no call of the table shows: the current
// level is whole, no entry is in a slot that is not its hash's, and no bucket has more pointers
// than entries.
func check[K comparable](t testing.TB, table *Table[K], model map[K]*Entry[K]) {
	t.Helper()
	if table.Len() != len(model) {
		t.Fatalf("Len is %d, want %d", table.Len(), len(model))
	}
	for key, e := range model {
		if got := table.Load(key); got != e {
			t.Fatalf("Load(%v) = %v, want %v", key, got, e)
		}
	}
	seen := map[K]bool{}
	for e := range table.All {
		if model[e.Key] != e || seen[e.Key] {
			t.Fatalf("All has %v, which is not there, or a second time", e.Key)
		}
		seen[e.Key] = true
	}
	if len(seen) != len(model) {
		t.Fatalf("All has %d entries, want %d", len(seen), len(model))
	}
	l := table.current.Load()
	if l == nil {
		return
	}
	for i := range l.slots {
		p := l.slots[i].Load()
		if p == nil {
			t.Fatalf("slot %d of the current level is nil", i)
		}
		for b := p.bucket(); b != nil && !p.frozen(); b = b.next() {
			for j := range b.len() {
				e := (*Entry[K])(*b.at(j))
				h := table.hash(l, e.Key)
				if l.slot(h) != &l.slots[i] || b.tag(j) != tagOf(h) || model[e.Key] != e {
					t.Fatalf("slot %d has %v, whose hash is %x, with tag %x", i, e.Key, h, b.tag(j))
				}
			}
		}
	}
}

// operate does an operation that a number names, to a table and its model.
func operate[K comparable](t testing.TB, table *Table[K], model map[K]*Entry[K], what int, key K) {
	t.Helper()
	there, is := model[key]
	stranger := entry(key)
	switch what {
	case 0:
		got, loaded := table.LoadOrStore(stranger)
		if loaded != is || is && got != there || !is && got != stranger {
			t.Fatalf("LoadOrStore(%v) = %v, %v; there was %v", key, got, loaded, there)
		}
		model[key] = got
	case 1:
		if table.Delete(stranger) {
			t.Fatalf("Delete has taken out %v, which is not there", key)
		}
		if is {
			if !table.Delete(there) || table.Delete(there) {
				t.Fatalf("Delete(%v) fails, or does it twice", key)
			}
			delete(model, key)
		}
	case 2:
		if table.Replace(stranger, stranger) {
			t.Fatalf("Replace has replaced %v, which is not there", key)
		}
		if is {
			if !table.Replace(there, stranger) || table.Replace(there, stranger) {
				t.Fatalf("Replace(%v) fails, or does it twice", key)
			}
			model[key] = stranger
		}
	case 3:
		if got := table.Load(key); got != there {
			t.Fatalf("Load(%v) = %v, want %v", key, got, there)
		}
	}
}

// TestTableAgainstMap does random operations, with phases in which the table grows to thousands of
// keys and shrinks to none.
func TestTableAgainstMap(t *testing.T) {
	seed := replay.Seed(t)
	run := func(name string, hasher func(int) uint64, keys int) {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			table, model := Table[int]{test: &hooks[int]{hash: hasher}}, map[int]*Entry[int]{}
			check(t, &table, model)
			for round := range 6 {
				for range 4 * keys {
					what := random.IntN(4)
					if what <= 1 && random.IntN(4) > 0 {
						what = round % 2
					}
					operate(t, &table, model, what, random.IntN(keys))
				}
				check(t, &table, model)
			}
			for key := range keys {
				operate(t, &table, model, 1, key)
			}
			check(t, &table, model)
		})
	}
	run("hashes of Go", nil, 5000)
	run("few hashes", func(key int) uint64 { return uint64(key%5) << 61 }, 200)
	run("equal hashes", func(int) uint64 { return 0 }, 100)
	run("equal but for tags", func(key int) uint64 { return uint64(key) & 0x7f }, 200)
	run("in order", func(key int) uint64 { return uint64(key) << 48 }, 5000)
	run("the uppermost bits are set", func(key int) uint64 { return ^uint64(key) }, 200)
}

// TestTableKeys has keys of several types.
func TestTableKeys(t *testing.T) {
	type pair struct {
		name string
		n    float64
	}
	keyed(t, func(i int) string { return fmt.Sprint("key ", i) })
	keyed(t, func(i int) uint64 { return uint64(i) })
	keyed(t, func(i int) uint8 { return uint8(i) })
	keyed(t, func(i int) pair { return pair{fmt.Sprint(i / 2), float64(i)} })
	keyed(t, func(i int) [3]int { return [3]int{0, i, -i} })
	keyed(t, func(i int) any {
		if i%2 == 0 {
			return i
		}
		return fmt.Sprint(i)
	})
}

func keyed[K comparable](t *testing.T, key func(int) K) {
	var zero K
	t.Run(strings.ReplaceAll(fmt.Sprintf("%T", &zero), "*", ""), func(t *testing.T) {
		var table Table[K]
		model := map[K]*Entry[K]{}
		for i := range 200 {
			operate(t, &table, model, 0, key(i))
		}
		check(t, &table, model)
		for i := range 200 {
			operate(t, &table, model, 1+i%2, key(i))
		}
		check(t, &table, model)
	})
}

// TestTableEqualKeys takes a key as present that is equal, though its bytes differ.
func TestTableEqualKeys(t *testing.T) {
	var table Table[float64]
	zero := entry(0.0)
	table.LoadOrStore(zero)
	if table.Load(math.Copysign(0, -1)) != zero {
		t.Fatal("minus 0 is not found as 0")
	}
}

// TestTableMisuse has keys that have no place in a table.
func TestTableMisuse(t *testing.T) {
	panics := func(name string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s does not panic", name)
			}
		}()
		f()
	}
	var numbers Table[float64]
	var values Table[any]
	nan := entry(math.NaN())
	for range 2 {
		panics("LoadOrStore of NaN", func() { numbers.LoadOrStore(nan) })
		panics("Load of a slice", func() { values.Load([]int{}) })
		panics("LoadOrStore of a slice", func() { values.LoadOrStore(entry[any]([]int{})) })
		panics("Replace with another key", func() { numbers.Replace(entry(1.0), entry(2.0)) })
		if numbers.Load(math.NaN()) != nil || numbers.Delete(nan) {
			t.Error("NaN is found")
		}
		numbers.LoadOrStore(entry(1.0))
		values.LoadOrStore(entry[any](1))
	}
	if numbers.Len() != 1 || values.Len() != 1 {
		t.Errorf("Len is %d and %d, want 1 and 1", numbers.Len(), values.Len())
	}
}

// TestTableSize holds how many slots there are for how many entries, growing and shrinking.
func TestTableSize(t *testing.T) {
	var table Table[int]
	var all []*Entry[int]
	slots := func() int { return len(table.current.Load().slots) }
	for i := range 100_000 {
		e := entry(i)
		table.LoadOrStore(e)
		all = append(all, e)
		// A table moves while half as many come as it had.
		if mean := len(all) / slots(); mean > 3*fullest/2 && slots() > 8 {
			t.Fatalf("%d entries in %d slots", len(all), slots())
		}
	}
	if slots() < len(all)/(fullest+1) || slots() > len(all) {
		t.Errorf("%d entries in %d slots", len(all), slots())
	}
	for i, e := range all {
		table.Delete(e)
		if left := len(all) - i - 1; left > 100 && slots() > 4*left {
			t.Fatalf("%d entries in %d slots", left, slots())
		}
	}
	if slots() > 64 {
		t.Errorf("no entry is left, in %d slots", slots())
	}
}

// TestTableEqualHashesDoNotGrow has a thousand keys with one hash: no directory has room for them.
func TestTableEqualHashesDoNotGrow(t *testing.T) {
	table := Table[int]{test: &hooks[int]{hash: func(int) uint64 { return 42 }}}
	model := map[int]*Entry[int]{}
	for i := range 1000 {
		operate(t, &table, model, 0, i)
	}
	check(t, &table, model)
	if slots := len(table.current.Load().slots); slots > 256 {
		t.Errorf("%d slots for one hash", slots)
	}
	for i := range 1000 {
		operate(t, &table, model, 1, (i*7)%1000)
	}
	check(t, &table, model)
}

// TestTableTriesAgain has goroutines that were to make a new level and stopped before: another one
// makes it, after some more entries.
func TestTableTriesAgain(t *testing.T) {
	var table Table[int]
	table.LoadOrStore(entry(0))
	table.current.Load().tries.Store(3)
	for i := range 100 {
		table.LoadOrStore(entry(i))
	}
	if slots := len(table.current.Load().slots); slots < 16 {
		t.Errorf("100 entries in %d slots", slots)
	}
}

// TestTableLoadDoesNotAllocate holds that no look-up allocates.
func TestTableLoadDoesNotAllocate(t *testing.T) {
	allocates(t, "key")
	allocates(t, 7)
	allocates(t, struct {
		name string
		n    int
	}{"name", 7})
	allocates(t, [4]string{"a", "b", "c", "d"})
}

func allocates[K comparable](t *testing.T, key K) {
	var table Table[K]
	e := entry(key)
	table.LoadOrStore(e)
	if n := testing.AllocsPerRun(100, func() {
		if table.Load(key) != e {
			t.Error("not found")
		}
		if there, loaded := table.LoadOrStore(e); there != e || !loaded {
			t.Error("not found")
		}
	}); n != 0 {
		t.Errorf("Load with a %T allocates %v times", key, n)
	}
}

// TestTableAllChanges changes the table while All goes over it: it grows, and shrinks. What is
// there throughout comes once.
func TestTableAllChanges(t *testing.T) {
	const stay, come = 500, 20_000
	for _, shrinks := range []bool{false, true} {
		var table Table[int]
		for i := range stay {
			table.LoadOrStore(entry(i))
		}
		var passing []*Entry[int]
		for i := range come {
			e := entry(stay + i)
			passing = append(passing, e)
			if shrinks {
				table.LoadOrStore(e)
			}
		}
		count := map[int]int{}
		for e := range table.All {
			count[e.Key]++
			for range min(len(passing), 45) {
				p := passing[len(passing)-1]
				passing = passing[:len(passing)-1]
				if shrinks {
					table.Delete(p)
				} else {
					table.LoadOrStore(p)
				}
			}
		}
		for i := range stay {
			if count[i] != 1 {
				t.Fatalf("shrinks %v: %d came %d times", shrinks, i, count[i])
			}
		}
		for key, n := range count {
			if n > 1 {
				t.Fatalf("shrinks %v: %d came %d times", shrinks, key, n)
			}
		}
		stopped := 0
		for range table.All {
			if stopped++; stopped == 3 {
				break
			}
		}
		if stopped != 3 {
			t.Fatalf("All went on after yield returned false, or ended early: %d", stopped)
		}
	}
}

// FuzzTable compares a table with a map, with bytes as operations.
func FuzzTable(f *testing.F) {
	f.Add([]byte("\x00\x01\x40\x01"), uint8(0))
	f.Add([]byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), uint8(1))
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x40\x41\x42\x43\x44\x45\x46\x47\x48"), uint8(2))
	f.Fuzz(func(t *testing.T, operations []byte, hash uint8) {
		hasher := []func(byte) uint64{
			nil,
			func(byte) uint64 { return 1 },
			func(b byte) uint64 { return uint64(b) << 58 },
			func(b byte) uint64 { return uint64(b&3)<<62 | uint64(b>>4) },
		}[hash%4]
		table, model := Table[byte]{test: &hooks[byte]{hash: hasher}}, map[byte]*Entry[byte]{}
		for _, o := range operations {
			operate(t, &table, model, int(o>>6), o&0x3f)
		}
		check(t, &table, model)
	})
}
