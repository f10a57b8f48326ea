package records

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/freerun-go/freerun/offheap"
)

// The store has shardCount parts, selected by the upper bits of a key's hash. The tables use the
// lower bits.
const (
	shardCount = 256
	shardShift = 64 - 8
)

// Store keeps values by their keys outside of Go's heap: the values are in blocks of an arena, and
// so are the tables that find them. Go's collector sees a few hundred objects, however many records
// there are. [NewStore] makes one; it must not be copied. Any goroutine, activity or operation may
// use it. A call waits only while another one works on the same shard.
type Store struct {
	arena *offheap.Arena
	// Random, so that a user of the store cannot choose keys that collide.
	seed   uint64
	shards [shardCount]shard
}

type shard struct {
	mu    sync.Mutex
	table table
	_     [64]byte // two mutexes must not share a cache line
}

// NewStore returns a store in an arena, which may have other users. The error is
// [offheap.ErrNoMemory].
func NewStore(arena *offheap.Arena) (*Store, error) {
	view, err := offheap.ViewOf[slot](arena)
	if err != nil {
		return nil, err
	}
	r := &Store{arena: arena, seed: rand.Uint64()}
	for i := range r.shards {
		if r.shards[i].table, err = newTable(view); err != nil {
			for j := range i {
				r.shards[j].table.free()
			}
			return nil, err
		}
	}
	return r, nil
}

// hash returns the key's hash, which no other key has, and the key's shard.
func (r *Store) hash(key uint64) (uint64, *shard) {
	h := mixed(key ^ r.seed)
	return h, &r.shards[h>>shardShift]
}

// header is how many bytes of a record come before its value. They have the value's length, because
// the block may be longer.
const header = 4

// Put makes a copy of value the key's value. The error is [offheap.ErrNoMemory]; then nothing has
// changed.
//
// It allocates the new block before it locks the mutex, and frees the old one after it unlocks:
// neither needs the mutex.
func (r *Store) Put(key uint64, value []byte) error {
	if uint64(len(value)) > math.MaxUint32 {
		return fmt.Errorf("records: a value of %d bytes; it may have %d", len(value), uint32(math.MaxUint32))
	}
	record, err := r.arena.Alloc(header + len(value))
	if err != nil {
		return err
	}
	memory := r.arena.Bytes(record)
	binary.NativeEndian.PutUint32(memory, uint32(len(value)))
	copy(memory[header:], value)
	h, s := r.hash(key)
	s.mu.Lock()
	unused, err := s.table.put(h, record)
	s.mu.Unlock()
	if unused != 0 {
		r.arena.Free(unused)
	}
	return err
}

// Get appends the key's value to into, and reports whether there is one. It copies the value while
// the mutex is locked, because another goroutine may free it afterwards.
func (r *Store) Get(key uint64, into []byte) (value []byte, found bool) {
	h, s := r.hash(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	record := s.table.get(h)
	if record == 0 {
		return into, false
	}
	memory := r.arena.Bytes(record)
	n := int(binary.NativeEndian.Uint32(memory))
	return append(into, memory[header:header+n]...), true
}

// Delete deletes the key, and reports whether it had a value.
func (r *Store) Delete(key uint64) bool {
	h, s := r.hash(key)
	s.mu.Lock()
	record := s.table.remove(h)
	s.mu.Unlock()
	if record == 0 {
		return false
	}
	r.arena.Free(record)
	return true
}

// Len returns how many keys have a value. It visits the shards one after the other.
func (r *Store) Len() (n int) {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		n += s.table.used
		s.mu.Unlock()
	}
	return n
}

// Close frees all memory of the store; the arena stays. The store may not be used any more.
func (r *Store) Close() {
	for i := range r.shards {
		t := &r.shards[i].table
		for _, s := range t.slots {
			if s.record != 0 {
				r.arena.Free(s.record)
			}
		}
		t.free()
	}
}

// mixed maps each number to another one, of which every bit depends on all bits of the first: the
// finalizer of MurmurHash3 as D. Stafford improved it.
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
