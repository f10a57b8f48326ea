package keytable

import (
	"hash/maphash"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     extendible hashing, R. Fagin, J. Nievergelt, N. Pippenger, H. R. Strong, TODS 1979,
//             with the migration of C. Click, A lock-free wait-free hash table, 2007: a slot is
//             frozen, copied, and then leads on. Ours are buckets that never change, so that a
//             slot is one word, and a directory that doubles, or halves, as a whole, so that each
//             bucket has one slot.
// Sketch:     level:  slots, one for each value of the uppermost bits of a hash, each of which
//                     leads to a bucket: tags, pointers to entries. next is another level.
//             Load:   slot, bucket, the entries with the hash's tag
//             change: CAS(slot: bucket → a changed copy)
//             resize: next = a level twice, or half as large, all slots nil. For each unit, which
//                     is a slot of the smaller level and two of the larger one:
//                       CAS(old slot: bucket → the same, frozen); all of the unit's
//                       CAS(new slot: nil → its part of the old buckets); all of the unit's
//                       CAS(old slot: frozen bucket → gone)
//                     when all units have moved, CAS(current: level → next)
// Invariants: I1 A bucket does not change. A key is in one bucket of a level at most, and in it
//                once.
//             I2 A slot of the current level is not nil. One of its next is nil until its unit has
//                moved, and never again: without entries it leads to a bucket without entries. So
//                a late CAS from nil fails, and brings nothing back.
//             I3 A frozen slot remains frozen, with the same entries until it is gone. It is gone
//                only after the slots of its unit in next are not nil.
//             I4 A slot of next becomes other than nil only after all slots of its unit are frozen.
//                So of the slots for one hash, at one time, one can be changed: the first that is
//                neither frozen nor nil.
//             I5 next is set once, and only while the level is the current one: so all has moved
//                to a level before anything moves from it.
//             NOT invariant: that Len is the number of entries while calls are under way. That the
//             current level is the newest: a call that was held up begins with one long gone, and
//             follows next.
// Progress:   Load is wait-free but for migrations: it makes a step for each that began since the
//             level that it began with. All others are lock-free: a CAS that fails means that
//             another call took effect, or that the slot was frozen, which happens once a level.
//             A call moves what it needs itself, and some more. A call that stalls in the middle of
//             a move delays no other: who checks finds what has not moved, and moves it.
// Linearize:  Load, and what a call finds there, at L1 where the place comes from that is used.
//             A frozen place is right while the slot of next is nil: at L1 of that (I4).
//             LoadOrStore, Replace and Delete at L2 if they change something, otherwise at L3, the
//             load of the place in which they look
// Publish:    A bucket, and what the caller has written to an entry, are written before L2 or L5,
//             and read after L1 or L3. A level is written before next leads to it.
// ABA/memory: Go's collector. A bucket's address is used again only when no call has it, and the
//             bucket without entries means the same whenever it comes. A slot that is gone keeps no
//             entry, so what is deleted during a migration is retained by nothing, but for a
//             bucket that a stalled call was about to leave. Until a migration ends, which takes
//             a sixteenth as many changes as there are units and some more, there are two
//             directories. An empty table that has had entries keeps a few slots.
// Cost:       Load: a hash, and four dependent reads: level, slot, bucket, entry; the key, if
//             that is elsewhere. A change: those, a CAS, an allocation of 16 to 80 bytes, and an
//             addition to a counter of the P's; while the table grows or shrinks, 16 units more.
//             Beside an entry, 13 bytes with a million keys (BenchmarkGrow).
// Checked by: TestTable…, FuzzTable, TestExploreTable…

// Table is a map from keys to entries, for any number of goroutines at a time, without locks. It
// grows and shrinks with what it holds, a little with each change, so no call waits until a large
// table was copied.
//
// The zero value is empty and ready. A Table must not be copied after first use. No method waits.
// The hash has a seed of its own, so nobody can choose keys whose hashes are equal.
//
// A key that is not equal to itself, such as NaN, is never found and must not be put in. A key of
// an interface type must have a dynamic type that is comparable; otherwise a call panics, as a map
// of Go does.
type Table[K comparable] struct {
	current atomics.Pointer[level] // nil until the first entry comes
	test    *hooks[K]              // nil but in tests
}

// hooks are what tests do in their own way.
type hooks[K comparable] struct {
	hash func(K) uint64           // nil: as otherwise
	move func(l, n *level, i int) // nil: as otherwise
}

// hash returns the hash of a key. It panics if the key's dynamic type is not comparable.
func (t *Table[K]) hash(l *level, key K) uint64 {
	if t.test != nil && t.test.hash != nil {
		return t.test.hash(key)
	}
	return maphash.Comparable(l.seed, key)
}

// Load returns the entry of a key, nil if there is none. Any goroutine; it allocates nothing, and
// is wait-free but for migrations.
func (t *Table[K]) Load(key K) *Entry[K] {
	l := t.current.Load()
	if l == nil {
		maphash.Comparable(anySeed, key) // panics as it would with entries
		return nil
	}
	h := t.hash(l, key)
	p := l.slot(h).Load() // L1
	if p.frozen() {
		p, _ = l.follow(p, h)
	}
	return find(p.bucket(), h, key)
}

// anySeed is for a table that has none yet.
var anySeed = maphash.MakeSeed()

// follow returns the place that has the entries of a hash, whose slot in l is frozen at p, and the
// level whose slot that is.
func (l *level) follow(p *place, hash uint64) (*place, *level) {
	for p.frozen() {
		n := l.next.Load()
		q := n.slot(hash).Load() // L1
		if q == nil {
			break // nobody can have changed what the frozen slot has
		}
		p, l = q, n
	}
	return p, l
}

// LoadOrStore returns the entry with the key of e if there is one, and true; otherwise it puts e in
// and returns e and false.
func (t *Table[K]) LoadOrStore(e *Entry[K]) (there *Entry[K], loaded bool) {
	l := t.current.Load()
	if l == nil {
		t.current.CompareAndSwap(nil, firstLevel())
		l = t.current.Load()
	}
	h := t.hash(l, e.Key)
	for {
		var p *place
		l, p = t.writable(l, h)
		b := p.bucket()
		if there = find(b, h, e.Key); there != nil {
			return there, true
		}
		if e.Key != e.Key {
			panic("keytable: a key that is not equal to itself cannot be found again")
		}
		more := b.with(h, unsafe.Pointer(e))
		if l.slot(h).CompareAndSwap(p, placeOf(more)) { // L2
			l.add(1)
			if more.head&chained != 0 {
				t.consider()
			}
			return e, false
		}
	}
}

// Replace puts an entry in the place of another one with the same key, if that one is there, and
// reports whether it did. It panics if the keys differ. Any goroutine; lock-free.
func (t *Table[K]) Replace(old, by *Entry[K]) bool {
	if old.Key != by.Key {
		panic("keytable: Replace with an entry of another key")
	}
	l := t.current.Load()
	if l == nil {
		return false
	}
	h := t.hash(l, old.Key)
	for {
		var p *place
		l, p = t.writable(l, h)
		b := p.bucket()
		if !b.has(unsafe.Pointer(old)) {
			return false
		}
		changed := b.replaced(unsafe.Pointer(old), unsafe.Pointer(by))
		if l.slot(h).CompareAndSwap(p, placeOf(changed)) { // L2
			return true
		}
	}
}

// Delete takes an entry out if it is there, and reports whether it did. An entry that another one
// has replaced is not there, though its key is. Any goroutine; lock-free.
func (t *Table[K]) Delete(old *Entry[K]) bool {
	l := t.current.Load()
	if l == nil {
		return false
	}
	h := t.hash(l, old.Key)
	for {
		var p *place
		l, p = t.writable(l, h)
		b := p.bucket()
		if !b.has(unsafe.Pointer(old)) {
			return false
		}
		fewer := b.without(unsafe.Pointer(old))
		if l.slot(h).CompareAndSwap(p, placeOf(fewer)) { // L2
			l.add(-1)
			if fewer == &none {
				t.consider()
			}
			return true
		}
	}
}

// Len returns the number of entries. It may lag behind calls that are under way. Any goroutine;
// wait-free.
func (t *Table[K]) Len() int {
	if l := t.current.Load(); l != nil {
		return l.len()
	}
	return 0
}

// All calls yield with entries, in any order, until it returns false. An entry that is there
// throughout comes once, and no key comes twice; what comes or goes meanwhile may be left out. The
// function may change the table. Any goroutine; lock-free.
func (t *Table[K]) All(yield func(*Entry[K]) bool) {
	l := t.current.Load()
	if l == nil {
		return
	}
	for from := uint64(0); ; {
		l = t.current.Load()
		p, at := l.follow(l.slot(from).Load(), from)
		begin := from >> (at.shift & 63) << (at.shift & 63)
		for b := p.bucket(); b != nil; b = b.next() {
			for i := range b.len() {
				e := (*Entry[K])(*b.at(i))
				if begin < from && t.hash(l, e.Key) < from {
					continue // it was among those before
				}
				if !yield(e) {
					return
				}
			}
		}
		if from = begin + 1<<(at.shift&63); from == 0 {
			return
		}
	}
}
