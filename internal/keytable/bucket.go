package keytable

import (
	"math/bits"
	"unsafe"
)

// Entry is the first field of everything that a Table holds. Its key must not change while a table
// holds it.
type Entry[K comparable] struct{ Key K }

// A bucket has the entries of one slot. It is immutable once a slot leads to it. Behind the head
// lie the pointers to its entries, as many as there are, and in a chain the pointer to the next
// bucket.
//
// The head has in byte i the tag of entry i: a part of the hash with the upper bit set, so that a
// byte without an entry, 0, resembles no tag. The uppermost byte has the number of entries, and the
// upper bit if a next bucket follows. A chain is for more entries than a head has room for.
type bucket struct{ head uint64 }

const (
	room    = 7 // entries in a bucket
	lengths = 8 * room
	chained = 1 << 63
	ones    = 1<<48 | 1<<40 | 1<<32 | 1<<24 | 1<<16 | 1<<8 | 1 // in each byte of a tag
	tops    = ones << 7
)

// none is the bucket without entries.
var none bucket

type (
	bucket1 struct {
		bucket
		_ [1]unsafe.Pointer
	}
	bucket2 struct {
		bucket
		_ [2]unsafe.Pointer
	}
	bucket3 struct {
		bucket
		_ [3]unsafe.Pointer
	}
	bucket4 struct {
		bucket
		_ [4]unsafe.Pointer
	}
	bucket5 struct {
		bucket
		_ [5]unsafe.Pointer
	}
	bucket6 struct {
		bucket
		_ [6]unsafe.Pointer
	}
	bucket7 struct {
		bucket
		_ [7]unsafe.Pointer
	}
	bucket8 struct {
		bucket
		_ [8]unsafe.Pointer
	}
)

// newBucket allocates a bucket with so many pointers, from 1 to 8.
func newBucket(pointers int) *bucket {
	switch pointers {
	case 1:
		return &new(bucket1).bucket
	case 2:
		return &new(bucket2).bucket
	case 3:
		return &new(bucket3).bucket
	case 4:
		return &new(bucket4).bucket
	case 5:
		return &new(bucket5).bucket
	case 6:
		return &new(bucket6).bucket
	case 7:
		return &new(bucket7).bucket
	}
	return &new(bucket8).bucket
}

// at returns the address of pointer i.
func (b *bucket) at(i int) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(b), unsafe.Sizeof(bucket{})+uintptr(i)*unsafe.Sizeof(uintptr(0))))
}

// len returns the number of entries, without those of the next bucket.
func (b *bucket) len() int { return int(b.head >> lengths & 0x7f) }

// next returns the next bucket of a chain, nil at its end.
func (b *bucket) next() *bucket {
	if b.head&chained == 0 {
		return nil
	}
	return (*bucket)(*b.at(b.len()))
}

// tagOf returns the tag of a hash. Its bits are the lowest; the index of a slot is made of the
// uppermost.
func tagOf(hash uint64) uint64 { return hash&0x7f | 0x80 }

// find returns the entry of a key, nil if there is none.
func find[K comparable](b *bucket, hash uint64, key K) *Entry[K] {
	for pattern := tagOf(hash) * ones; ; {
		x := b.head ^ pattern
		// The upper bit of each byte of x that is 0, and perhaps of a byte above such a one.
		for m := (x - ones) &^ x & tops; m != 0; m &= m - 1 {
			if e := (*Entry[K])(*b.at(bits.TrailingZeros64(m) / 8)); e.Key == key {
				return e
			}
		}
		if b = b.next(); b == nil {
			return nil
		}
	}
}

// has reports whether an entry is in the bucket.
func (b *bucket) has(e unsafe.Pointer) bool {
	for ; b != nil; b = b.next() {
		for i := range b.len() {
			if *b.at(i) == e {
				return true
			}
		}
	}
	return false
}

// with returns the bucket with one more entry.
func (b *bucket) with(hash uint64, e unsafe.Pointer) *bucket {
	n := b.len()
	if n == room {
		longer := newBucket(2)
		longer.head = 1<<lengths | chained | tagOf(hash)
		*longer.at(0), *longer.at(1) = e, unsafe.Pointer(b)
		return longer
	}
	var more *bucket
	if next := b.next(); next != nil {
		more = newBucket(n + 2)
		*more.at(n + 1) = unsafe.Pointer(next)
	} else {
		more = newBucket(n + 1)
	}
	more.head = b.head + 1<<lengths | tagOf(hash)<<(8*n)
	for i := range n {
		*more.at(i) = *b.at(i)
	}
	*more.at(n) = e
	return more
}

// without returns the bucket without an entry, which is in it.
func (b *bucket) without(e unsafe.Pointer) *bucket {
	var rest maker
	for n := b; n != nil; n = n.next() {
		for i := range n.len() {
			if *n.at(i) != e {
				rest.add(n.tag(i), *n.at(i))
			}
		}
	}
	return rest.bucket()
}

// replaced returns the bucket with another entry, of the same key, in place of one that is in it.
func (b *bucket) replaced(e, by unsafe.Pointer) *bucket {
	var all maker
	for n := b; n != nil; n = n.next() {
		for i := range n.len() {
			if *n.at(i) == e {
				all.add(n.tag(i), by)
			} else {
				all.add(n.tag(i), *n.at(i))
			}
		}
	}
	return all.bucket()
}

// tag returns the tag of entry i.
func (b *bucket) tag(i int) uint64 { return b.head >> (8 * i) & 0xff }

// A maker makes a bucket of entries. The zero value has none.
type maker struct {
	head     uint64
	pointers [room]unsafe.Pointer
	full     *bucket // a chain of those before
}

// add adds an entry.
func (m *maker) add(tag uint64, e unsafe.Pointer) {
	n := int(m.head >> lengths)
	if n == room {
		m.full = m.bucket()
		m.head, n = 0, 0
	}
	m.pointers[n] = e
	m.head += 1<<lengths | tag<<(8*n)
}

// bucket returns the bucket of all that was added.
func (m *maker) bucket() *bucket {
	n := int(m.head >> lengths)
	if n == 0 {
		return &none // also with a full one: add puts something behind it
	}
	pointers := n
	if m.full != nil {
		pointers++
	}
	b := newBucket(pointers)
	b.head = m.head
	for i := range n {
		*b.at(i) = m.pointers[i]
	}
	if m.full != nil {
		b.head |= chained
		*b.at(n) = unsafe.Pointer(m.full)
	}
	return b
}
