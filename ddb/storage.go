package ddb

import (
	"strings"
	"unsafe"

	"github.com/freerun-go/freerun/offheap"
)

// Storage of keys and values, and what they count as. A value lies behind its key. On Go's heap,
// replies refer to a value longer than [shareable], which is never overwritten from then on. Off
// the heap, the block is
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
		head, rest := r.blocksFor(keyLen, keyLen+length)
		return int64(overheadOffHeap + head + rest)
	}
	return overheadOnHeap + int64(room(keyLen+length))
}

// costExtended is costOf for a value after an append.
func (r *records) costExtended(keyLen, length int) int64 {
	if r.arena == nil {
		return overheadOnHeap + int64(grown(keyLen, length))
	}
	return int64(overheadOffHeap + r.arena.SizeFor(keyLen+length))
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

// value returns the value of an entry, never nil, valid while the entry is unchanged. It copies one
// that lies in two blocks; see parts.
func (r *records) value(e *entry) []byte {
	begin, end := int(e.keyLen), int(e.keyLen+e.length)
	switch {
	case r.arena != nil:
		first, second := r.parts(e)
		if len(second) == 0 {
			return first
		}
		return append(append(make([]byte, 0, e.length), first...), second...)
	case end == 0:
		return []byte{}
	}
	return unsafe.Slice(*r.bytesOf(e), end)[begin:end:end]
}

// lend returns a value on the heap that is longer than shareable, valid for ever: it will not be
// overwritten.
func (r *records) lend(e *entry) []byte {
	word, bit := r.lentOf(e)
	*word |= bit
	return r.value(e)
}

// valueRoom returns how many bytes the value of an entry on the heap may have where it is.
func (r *records) valueRoom(e *entry) int { return int(e.cost) - overheadOnHeap - int(e.keyLen) }

// placeOnHeap gives an entry size bytes on the heap, with the key and the parts of the value.
func (r *records) placeOnHeap(e *entry, size int, key string, value, more []byte) {
	b := append(append(append(make([]byte, 0, size), key...), value...), more...)
	e.keyLen, e.length, e.cost = uint32(len(key)), uint32(len(value)+len(more)), uint32(overheadOnHeap+size)
	*r.bytesOf(e) = unsafe.SliceData(b)
	word, bit := r.lentOf(e)
	*word &^= bit
}

// overwrites reports whether a value of so many bytes takes the place of the value of an entry on
// the heap. A long value is replaced in its place only if the new one takes as much room.
func (r *records) overwrites(e *entry, length int) bool {
	has := r.valueRoom(e)
	if has <= shareable {
		return length <= has
	}
	word, bit := r.lentOf(e)
	return *word&bit == 0 && int64(e.cost) == r.costOf(int(e.keyLen), length)
}

// add makes the entry of a key that is not there, with copies of key and value. b is the result of
// allocBlock for them, or none. After an error, which is the arena's, nothing has changed.
func (r *records) add(key, value []byte, b offheap.Block) (*entry, error) {
	if b.IsZero() {
		var err error
		if b, err = r.allocBlock(len(key), len(key)+len(value)); err != nil {
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

// set gives an entry a copy of a value, like add.
func (r *records) set(e *entry, value []byte, b offheap.Block) error {
	switch {
	case r.arena == nil:
		if !r.overwrites(e, len(value)) {
			r.placeOnHeap(e, room(int(e.keyLen)+len(value)), r.key(e), value, nil)
			return nil
		}
		e.length = uint32(len(value))
		copy(r.value(e), value)
		return nil
	case int64(e.cost) == r.costOf(int(e.keyLen), len(value)):
		r.freeBlock(b, int(e.keyLen), int(e.keyLen)+len(value))
		r.fill(e, *r.blockOf(e), r.key(e), value)
		return nil
	case b.IsZero():
		var err error
		if b, err = r.allocBlock(int(e.keyLen), int(e.keyLen)+len(value)); err != nil {
			return err
		}
	}
	old, rest := *r.blockOf(e), r.restOf(e)
	r.fill(e, b, r.key(e), value)
	r.arena.Free(old)
	if !rest.IsZero() {
		r.arena.Free(rest)
	}
	return nil
}

// extend appends to the value of an entry. After an error, which is the arena's, nothing has
// changed. On the heap, the bytes behind the end of a value are unused, so replies that refer to
// the shorter value stay valid.
func (r *records) extend(e *entry, more []byte) error {
	old := int(e.length)
	if r.arena != nil {
		return r.extendOffHeap(e, more)
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
		return int(e.keyLen+e.length)+more <= r.roomOffHeap(e)
	}
	return more <= r.valueRoom(e)-int(e.length)
}
