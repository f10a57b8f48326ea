package ddb

import (
	"unsafe"

	"github.com/freerun-go/freerun/offheap"
)

// entry has a shard's knowledge about one key. It has no pointer, so Go's collector does not scan
// entries, however many there are. [records] keeps the bytes of key and value. The shard owns the
// fields.
type entry struct {
	keyLen uint32 // bytes of the key; of a free entry the number of the next free one
	length uint32 // bytes of the value
	cost   uint32 // bytes that it counts as: records.costOf, or less
	clock  uint32 // the time of its last use, see shard.tick
	id     uint32
	// In shard.entries, -1 while the entry is free.
	position int32
	// In shard.expiring, -1 if it is not there: the key does not expire.
	expiry int32
}

// chunkEntries is how many entries are allocated together. Go's allocator has sizes for so many
// entries, and for so many pointers.
const chunkEntries = 512

// records are the keys of a shard with their values, on Go's heap or in an arena. Entries have
// numbers, from 1 on, and never move. Plain sequential code.
//
// Invariants:
// The index has the tag of its key for each entry that is not free, and nothing else.
// Each issued entry is in the index or in the free list, which begins at free.
// An entry in the index has memory of its own with the key's bytes and then room for the value: off
// the heap a block, on the heap bytes, and nil for a key and a value without bytes.
type records struct {
	hasher hasher
	index  index
	chunks []*[chunkEntries]entry
	bytes  []*[chunkEntries]*byte         // on the heap
	blocks []*[chunkEntries]offheap.Block // off the heap
	issued uint32                         // the number of the next new entry
	free   uint32
	arena  *offheap.Arena // nil if values are on Go's heap
}

func newRecords(arena *offheap.Arena) *records {
	r := &records{hasher: newHasher(), arena: arena}
	r.reset()
	return r
}

// reset empties the records without freeing blocks.
func (r *records) reset() {
	r.index, r.chunks, r.bytes, r.blocks, r.issued, r.free = index{}, nil, nil, nil, 1, 0
}

func (r *records) at(id uint32) *entry { return &r.chunks[id/chunkEntries][id%chunkEntries] }

// bytesOf returns where the bytes of an entry on the heap are.
func (r *records) bytesOf(e *entry) **byte {
	return &r.bytes[e.id/chunkEntries][e.id%chunkEntries]
}

// blockOf returns where the block of an entry off the heap is.
func (r *records) blockOf(e *entry) *offheap.Block {
	return &r.blocks[e.id/chunkEntries][e.id%chunkEntries]
}

// find returns the entry of a key, nil if there is none.
func (r *records) find(key []byte) *entry {
	tag := tagOf(r.hasher.hash(key))
	p := r.index.page(tag)
	if p == nil {
		return nil
	}
	for id, at := p.search(tag, homeOf(tag)); id != 0; id, at = p.search(tag, at) {
		if e := r.at(id); r.key(e) == string(key) {
			return e
		}
	}
	return nil
}

// newEntry returns an entry that is not in the index.
func (r *records) newEntry() *entry {
	id := r.free
	if id != 0 {
		r.free = r.at(id).keyLen
	} else {
		id = r.issued
		if int(id/chunkEntries) == len(r.chunks) {
			r.chunks = append(r.chunks, new([chunkEntries]entry))
			if r.arena == nil {
				r.bytes = append(r.bytes, new([chunkEntries]*byte))
			} else {
				r.blocks = append(r.blocks, new([chunkEntries]offheap.Block))
			}
		}
		r.issued++
	}
	e := r.at(id)
	*e = entry{id: id, expiry: -1}
	return e
}

// link puts an entry whose key is set into the index.
func (r *records) link(e *entry) { r.index.add(tagOf(r.hasher.hashOf(r.key(e))), e.id) }

// drop removes an entry with its key and value.
func (r *records) drop(e *entry) {
	r.index.remove(tagOf(r.hasher.hashOf(r.key(e))), e.id)
	if r.arena != nil {
		r.arena.Free(*r.blockOf(e))
	} else {
		*r.bytesOf(e) = nil
	}
	*e = entry{id: e.id, keyLen: r.free, position: -1, expiry: -1}
	r.free = e.id
}

// clear removes all entries with their keys and values.
func (r *records) clear() {
	if r.arena != nil {
		for id := uint32(1); id < r.issued; id++ {
			if e := r.at(id); e.position >= 0 {
				r.arena.Free(*r.blockOf(e))
			}
		}
	}
	r.reset()
}

// ahead is how many look-ups are prepared together: about as many misses as a processor has under
// way at a time.
const ahead = 16

// prepare reads what look-ups of keys are going to read, so that the commands find it in the
// processor's cache. A look-up is a chain of three reads that mostly miss: of the index, of the
// entry, of the key. prepare makes the first read of all keys before the second of any: nothing
// depends on a read of another key, so the processor waits for all of them together. It changes
// nothing but seen, which keeps the compiler from leaving the reads out.
func (r *records) prepare(keys *[ahead][]byte, n int) (seen uint64) {
	var tags, ids [ahead]uint32
	var pages [ahead]*page
	if len(r.index.directory) == 0 {
		return 0
	}
	for i, key := range keys[:n] {
		tags[i] = tagOf(r.hasher.hash(key))
		pages[i] = r.index.page(tags[i])
	}
	for i := range n {
		seen += pages[i].slots[homeOf(tags[i])]
	}
	for i := range n {
		ids[i], _ = pages[i].search(tags[i], homeOf(tags[i]))
	}
	// 0 is no entry, but the first chunk has a place for it.
	if r.arena == nil {
		var at [ahead]*byte
		for i, id := range ids[:n] {
			seen += uint64(r.at(id).keyLen)
			at[i] = r.bytes[id/chunkEntries][id%chunkEntries]
		}
		for _, b := range at[:n] {
			if b != nil {
				seen += uint64(*b)
			}
		}
		return seen
	}
	var at [ahead]offheap.Block
	for i, id := range ids[:n] {
		seen += uint64(r.at(id).keyLen)
		at[i] = r.blocks[id/chunkEntries][id%chunkEntries]
	}
	for _, b := range at[:n] {
		if !b.IsZero() {
			seen += uint64(*unsafe.SliceData(r.arena.Bytes(b)))
		}
	}
	return seen
}
