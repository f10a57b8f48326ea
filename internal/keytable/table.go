package keytable

import (
	"hash/maphash"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Entry is the first field of everything that a Table holds. Its key must not change while a table
// holds it.
type Entry[K comparable] struct{ Key K }

// Table maps keys to entries.
type Table[K comparable] struct {
	current atomics.Pointer[level] // nil until the first entry comes
	hasher  func(K) uint64         // of tests, nil otherwise
}

// hash returns the hash of a key. It panics if the key's dynamic type is not comparable.
func (t *Table[K]) hash(l *level, key K) uint64 {
	if t.hasher != nil {
		return t.hasher(key)
	}
	return maphash.Comparable(l.seed, key)
}

// Load returns the entry of a key, nil if there is none.
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

// Replace puts an entry in the place of another one with the same key, if the other is there, and
// reports whether it did.
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
		if l.slot(h).CompareAndSwap(p, placeOf(b.replaced(unsafe.Pointer(old), unsafe.Pointer(by)))) { // L2
			return true
		}
	}
}

// Delete takes an entry out if it is there, and reports whether it did.
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

// Len returns the number of entries. It may lag behind calls that are under way.
func (t *Table[K]) Len() int {
	if l := t.current.Load(); l != nil {
		return l.len()
	}
	return 0
}

// All calls yield with entries until it returns false.
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
