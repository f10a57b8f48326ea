package ddb

import (
	"strings"
	"unsafe"

	"github.com/freerun-go/freerun/offheap"
)

// Storage of keys and values, and what they count as. On Go's heap, a value longer than [shareable]
// is immutable, and replies refer to it. Off the heap, key and value share one block, which is
// freed when the entry is dropped or gets another block. So nothing that outlives an operation may
// refer to the block, and replies copy.

// What an entry counts as beside its key and value, in bytes: itself, its place in the table, in
// shard.entries and perhaps in shard.expiring. BenchmarkCollect measured the figures with a million
// keys on Go's heap.
const (
	overheadOnHeap  = 130
	overheadOffHeap = 100
)

// costOf returns what the entry of a key would count as with a value of this length.
func (r *records) costOf(keyLen, length int) int64 {
	if r.arena != nil {
		return overheadOffHeap + int64(r.arena.SizeFor(keyLen+length))
	}
	return overheadOnHeap + int64(room(keyLen)+room(length))
}

// costExtended is costOf for a value after an append.
func (r *records) costExtended(keyLen, length int) int64 {
	if r.arena == nil {
		length = grown(length)
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
	case n <= 16:
		return (n + 7) &^ 7
	}
	step := 16
	for n > 16*step {
		step *= 2
	}
	return (n + step - 1) &^ (step - 1)
}

// grown is the room for a value after an append. It is geometric, so that appending n bytes one by
// one takes n steps, not n².
func grown(n int) int { return room(min(n+n/4, maxValue)) }

// key returns the key of an entry, valid while the entry is unchanged.
func (r *records) key(e *entry) string {
	switch {
	case r.arena == nil:
		return r.heapRecordOf(e).key
	case e.keyLen == 0:
		return ""
	}
	return unsafe.String(unsafe.SliceData(r.arena.Bytes(e.block)), e.keyLen)
}

// cloneKey returns a key from key that stays valid for ever.
func (r *records) cloneKey(key string) string {
	if r.arena == nil {
		return key
	}
	return strings.Clone(key)
}

// value returns the value of an entry, never nil. On the heap, a value longer than shareable is
// never overwritten. Otherwise, and off the heap, it is valid while the entry is unchanged.
func (r *records) value(e *entry) []byte {
	if r.arena == nil {
		return r.heapRecordOf(e).value
	}
	b := r.arena.Bytes(e.block)
	return b[e.keyLen : e.keyLen+e.length : e.keyLen+e.length]
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
	e := r.newEntry()
	if r.arena == nil {
		r.heapRecords[e.id/chunkEntries][e.id%chunkEntries] = heapRecord{string(key), append(make([]byte, 0, room(len(value))), value...)}
		e.length = uint32(len(value))
		e.cost = uint32(overheadOnHeap + room(len(key)) + room(len(value)))
	} else {
		r.fill(e, b, key, value)
	}
	r.link(e)
	return e, nil
}

// fill stores key and value of an entry in b.
func (r *records) fill(e *entry, b offheap.Block, key, value []byte) {
	to := r.arena.Bytes(b)
	copy(to[copy(to, key):], value)
	e.block, e.keyLen, e.length = b, uint32(len(key)), uint32(len(value))
	e.cost = uint32(overheadOffHeap + r.arena.Size(b))
}

// set gives an entry a copy of a value, like add.
func (r *records) set(e *entry, value []byte, b offheap.Block) error {
	switch {
	case r.arena == nil:
		t := r.heapRecordOf(e)
		if cap(t.value) > shareable || len(value) > cap(t.value) {
			t.value = make([]byte, 0, room(len(value)))
		}
		t.value = append(t.value[:0], value...)
		e.length = uint32(len(value))
		e.cost = uint32(overheadOnHeap + room(len(t.key)) + cap(t.value))
		return nil
	case b.IsZero():
		total := int(e.keyLen) + len(value)
		if r.arena.SizeFor(total) == r.arena.Size(e.block) {
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
	old := e.block
	r.fill(e, b, r.arena.Bytes(old)[:e.keyLen], value)
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
	t := r.heapRecordOf(e)
	if len(more) > cap(t.value)-old {
		t.value = append(make([]byte, 0, grown(old+len(more))), t.value...)
	}
	t.value = append(t.value, more...)
	e.length = uint32(len(t.value))
	e.cost = uint32(overheadOnHeap + room(len(t.key)) + cap(t.value))
	return nil
}

// hasRoom reports whether extend would append so many bytes without more memory.
func (r *records) hasRoom(e *entry, more int) bool {
	if r.arena != nil {
		return int(e.keyLen+e.length)+more <= r.arena.Size(e.block)
	}
	t := r.heapRecordOf(e)
	return more <= cap(t.value)-len(t.value)
}

// resize makes the value of an entry off the heap length bytes long, and keeps its first bytes.
func (r *records) resize(e *entry, length int) error {
	b, err := r.arena.Resize(e.block, int(e.keyLen)+length)
	if err != nil {
		return err
	}
	e.block, e.length, e.cost = b, uint32(length), uint32(overheadOffHeap+r.arena.Size(b))
	return nil
}
