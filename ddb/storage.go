package ddb

import (
	"strings"
	"unsafe"

	"github.com/freerun-go/freerun/offheap"
)

// Storage of keys and values, and what they count as. A value lies behind its key. On Go's heap, a
// value longer than [shareable] is immutable, and replies refer to it. Off the heap, the block is
// freed when the entry is dropped or gets another block. So nothing that outlives an operation may
// refer to the block, and replies copy.

// What an entry counts as beside its key and value, in bytes: itself, its place in the table, in
// shard.entries and perhaps in shard.expiring. The resident memory of servers with a million
// keys has the figures.
const (
	overheadOnHeap  = 65
	overheadOffHeap = 65
)

// costOf returns what the entry of a key would count as with a value of this length.
func (r *records) costOf(keyLen, length int) int64 {
	if r.arena != nil {
		return overheadOffHeap + int64(r.arena.SizeFor(keyLen+length))
	}
	return overheadOnHeap + int64(room(keyLen+length))
}

// costExtended is costOf for a value after an append.
func (r *records) costExtended(keyLen, length int) int64 {
	if r.arena == nil {
		return overheadOnHeap + int64(grown(keyLen, length))
	}
	return r.costOf(keyLen, length)
}

// room returns the size of the memory that Go's allocator gives for n bytes, or a little more:
// classes an eighth apart, and whole pages above 32 KiB.
func room(n int) int {
	const page = 8192
	switch {
	case n > 4*page:
		return (n + page - 1) &^ (page - 1)
	case n <= 32:
		return (n + 7) &^ 7
	}
	step := 16
	for n > 16*step {
		step *= 2
	}
	return (n + step - 1) &^ (step - 1)
}

// grown is the room for a key and its value after an append. It is geometric, so that appending n
// bytes one by one takes n steps, not n².
func grown(keyLen, n int) int { return room(keyLen + min(n+n/4, maxValue)) }

// key returns the key of an entry, valid while the entry is unchanged.
func (r *records) key(e *entry) string {
	switch {
	case e.keyLen == 0:
		return ""
	case r.arena == nil:
		return unsafe.String(*r.bytesOf(e), e.keyLen)
	}
	return unsafe.String(unsafe.SliceData(r.arena.Bytes(*r.blockOf(e))), e.keyLen)
}

// keepKey returns the key of an entry, valid for ever. On the heap it is not copied, unless it
// would keep a long value from the collector.
func (r *records) keepKey(e *entry) string {
	if r.arena == nil && r.valueRoom(e) <= shareable {
		return r.key(e)
	}
	return strings.Clone(r.key(e))
}

// value returns the value of an entry, never nil. On the heap, a value longer than shareable is
// never overwritten. Otherwise, and off the heap, it is valid while the entry is unchanged.
func (r *records) value(e *entry) []byte {
	begin, end := int(e.keyLen), int(e.keyLen+e.length)
	switch {
	case r.arena != nil:
		return r.arena.Bytes(*r.blockOf(e))[begin:end:end]
	case end == 0:
		return []byte{}
	}
	return unsafe.Slice(*r.bytesOf(e), end)[begin:end:end]
}

// valueRoom returns how many bytes the value of an entry on the heap may have where it is.
func (r *records) valueRoom(e *entry) int { return int(e.cost) - overheadOnHeap - int(e.keyLen) }

// placeOnHeap gives an entry size bytes on the heap, with the key and the parts of the value.
func (r *records) placeOnHeap(e *entry, size int, key string, value, more []byte) {
	b := append(append(append(make([]byte, 0, size), key...), value...), more...)
	e.keyLen, e.length, e.cost = uint32(len(key)), uint32(len(value)+len(more)), uint32(overheadOnHeap+size)
	*r.bytesOf(e) = unsafe.SliceData(b)
}

// allocBlock returns a block for a key and a value of n bytes together. On the heap it returns
// none.
func (r *records) allocBlock(n int) (offheap.Block, error) {
	if r.arena == nil {
		return 0, nil
	}
	return r.arena.Alloc(n)
}

// freeBlock frees a block that was not used.
func (r *records) freeBlock(b offheap.Block) {
	if !b.IsZero() {
		r.arena.Free(b)
	}
}

// add makes the entry of a key that is not there, with copies of key and value. b is the result of
// allocBlock for them, or none. After an error, which is the arena's, nothing has changed.
func (r *records) add(key, value []byte, b offheap.Block) (*entry, error) {
	if b.IsZero() {
		var err error
		if b, err = r.allocBlock(len(key) + len(value)); err != nil {
			return nil, err
		}
	}
	e, k := r.newEntry(), unsafe.String(unsafe.SliceData(key), len(key))
	if r.arena == nil {
		r.placeOnHeap(e, room(len(key)+len(value)), k, value, nil)
	} else {
		r.fill(e, b, k, value)
	}
	r.link(e)
	return e, nil
}

// fill stores key and value of an entry in b.
func (r *records) fill(e *entry, b offheap.Block, key string, value []byte) {
	to := r.arena.Bytes(b)
	copy(to[copy(to, key):], value)
	*r.blockOf(e), e.keyLen, e.length = b, uint32(len(key)), uint32(len(value))
	e.cost = uint32(overheadOffHeap + r.arena.Size(b))
}

// set gives an entry a copy of a value, like add.
func (r *records) set(e *entry, value []byte, b offheap.Block) error {
	switch {
	case r.arena == nil:
		if has := r.valueRoom(e); has > shareable || len(value) > has {
			r.placeOnHeap(e, room(int(e.keyLen)+len(value)), r.key(e), value, nil)
			return nil
		}
		e.length = uint32(len(value))
		copy(r.value(e), value)
		return nil
	case b.IsZero():
		total := int(e.keyLen) + len(value)
		if r.arena.SizeFor(total) == r.arena.Size(*r.blockOf(e)) {
			err := r.resize(e, len(value))
			if err == nil {
				copy(r.value(e), value)
			}
			return err
		}
		var err error
		if b, err = r.arena.Alloc(total); err != nil {
			return err
		}
	}
	old := *r.blockOf(e)
	r.fill(e, b, r.key(e), value)
	r.arena.Free(old)
	return nil
}

// extend appends to the value of an entry. After an error, which is the arena's, nothing has
// changed. On the heap, the bytes behind the end of a value are unused, so replies that refer to
// the shorter value stay valid.
func (r *records) extend(e *entry, more []byte) error {
	old := int(e.length)
	if r.arena != nil {
		err := r.resize(e, old+len(more))
		if err == nil {
			copy(r.value(e)[old:], more)
		}
		return err
	}
	if len(more) > r.valueRoom(e)-old {
		r.placeOnHeap(e, grown(int(e.keyLen), old+len(more)), r.key(e), r.value(e), more)
		return nil
	}
	e.length += uint32(len(more))
	copy(r.value(e)[old:], more)
	return nil
}

// hasRoom reports whether extend would append so many bytes without more memory.
func (r *records) hasRoom(e *entry, more int) bool {
	if r.arena != nil {
		return int(e.keyLen+e.length)+more <= r.arena.Size(*r.blockOf(e))
	}
	return more <= r.valueRoom(e)-int(e.length)
}

// resize makes the value of an entry off the heap length bytes long, and keeps its first bytes.
func (r *records) resize(e *entry, length int) error {
	b, err := r.arena.Resize(*r.blockOf(e), int(e.keyLen)+length)
	if err != nil {
		return err
	}
	*r.blockOf(e), e.length, e.cost = b, uint32(length), uint32(overheadOffHeap+r.arena.Size(b))
	return nil
}
