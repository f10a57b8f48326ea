package ddb

import "github.com/freerun-go/freerun/offheap"

// entry has a shard's knowledge about one key. It has no pointer, so Go's collector does not scan
// entries, however many there are. [records] keeps the bytes of key and value. The shard owns the
// fields.
type entry struct {
	deadline int64         // Unix milliseconds; 0: the key does not expire
	block    offheap.Block // off the heap: the key's bytes, then the value's
	keyLen   uint32        // bytes of the key in block
	length   uint32        // bytes of the value
	cost     uint32        // bytes that it counts as: records.costOf, or less
	clock    uint32        // the time of its last use, see shard.tick
	// next: the next entry with the same hash, or the next free entry.
	id, next uint32
	position int32 // in shard.entries, -1 while the entry is free
	expiry   int32 // in shard.expiring, -1 if it is not there
}

// heapRecord is a key and its value on Go's heap.
type heapRecord struct {
	key   string
	value []byte // never overwritten if its capacity is above shareable
}

// chunkEntries is how many entries are allocated together.
const chunkEntries = 128

// records are the keys of a shard with their values, on Go's heap or in an arena. Entries have
// numbers, from 1 on, and never move. Plain sequential code.
//
// Invariants:
// From table[hash(k)], the next fields lead to the entry of each key with that hash.
// Each issued entry is in the table or in the free list, which begins at free.
// Off the heap, an entry in the table has a block of its own with key and value; heapRecords is
// empty.
// On the heap, an entry in the table has a heapRecord and no block.
type records struct {
	hasher      hasher
	table       map[uint64]uint32
	chunks      []*[chunkEntries]entry
	heapRecords []*[chunkEntries]heapRecord
	issued      uint32 // the number of the next new entry
	free        uint32
	arena       *offheap.Arena // nil if values are on Go's heap
}

func newRecords(arena *offheap.Arena) *records {
	r := &records{hasher: newHasher(), arena: arena}
	r.reset()
	return r
}

// reset empties the records without freeing blocks.
func (r *records) reset() {
	r.table, r.chunks, r.heapRecords, r.issued, r.free = map[uint64]uint32{}, nil, nil, 1, 0
}

func (r *records) at(id uint32) *entry { return &r.chunks[id/chunkEntries][id%chunkEntries] }

func (r *records) heapRecordOf(e *entry) *heapRecord {
	return &r.heapRecords[e.id/chunkEntries][e.id%chunkEntries]
}

// find returns the entry of a key, nil if there is none.
func (r *records) find(key []byte) *entry {
	for id := r.table[r.hasher.hash(key)]; id != 0; {
		e := r.at(id)
		if r.key(e) == string(key) {
			return e
		}
		id = e.next
	}
	return nil
}

// newEntry returns an entry that is not in the table.
func (r *records) newEntry() *entry {
	id := r.free
	if id != 0 {
		r.free = r.at(id).next
	} else {
		id = r.issued
		if int(id/chunkEntries) == len(r.chunks) {
			r.chunks = append(r.chunks, new([chunkEntries]entry))
			if r.arena == nil {
				r.heapRecords = append(r.heapRecords, new([chunkEntries]heapRecord))
			}
		}
		r.issued++
	}
	e := r.at(id)
	*e = entry{id: id, expiry: -1}
	return e
}

// link puts an entry whose key is set into the table.
func (r *records) link(e *entry) {
	h := r.hasher.hashOf(r.key(e))
	e.next = r.table[h]
	r.table[h] = e.id
}

// drop removes an entry with its key and value.
func (r *records) drop(e *entry) {
	h := r.hasher.hashOf(r.key(e))
	switch first := r.table[h]; {
	case first != e.id:
		before := r.at(first)
		for before.next != e.id {
			before = r.at(before.next)
		}
		before.next = e.next
	case e.next == 0:
		delete(r.table, h)
	default:
		r.table[h] = e.next
	}
	if r.arena != nil {
		r.arena.Free(e.block)
	} else {
		*r.heapRecordOf(e) = heapRecord{}
	}
	*e = entry{id: e.id, next: r.free, position: -1, expiry: -1}
	r.free = e.id
}

// clear removes all entries with their keys and values.
func (r *records) clear() {
	if r.arena != nil {
		for id := uint32(1); id < r.issued; id++ {
			if e := r.at(id); e.position >= 0 {
				r.arena.Free(e.block)
			}
		}
	}
	r.reset()
}
