package records

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/freerun-go/freerun/offheap"
)

// The store is divided into shardCount parts by the upper bits of a key's hash. The lower ones are the table's.
const (
	shardCount = 256
	shardShift = 64 - 8
)

// Records keeps values by their keys outside of Go's heap: the values are in blocks of an arena, and so are the tables that find them. The collector sees a few hundred
// objects, however many records there are. [NewRecords] makes one, which must not be copied. Any goroutine, activity or operation may use it; it waits only while another
// one is at work on the same shard.
type Records struct {
	arena  *offheap.Arena
	seed   uint64 // so that nobody can choose keys that get into each other's way
	shards [shardCount]shard
}

type shard struct {
	mu    sync.Mutex
	table table
	_     [64]byte // two mutexes must not share a cache line
}

// NewRecords returns a store in an arena, which others may use as well. The error is [offheap.ErrNoMemory].
func NewRecords(arena *offheap.Arena) (*Records, error) {
	view, err := offheap.ViewOf[slot](arena)
	if err != nil {
		return nil, err
	}
	r := &Records{arena: arena, seed: rand.Uint64()}
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

// hash returns the key's hash, which no other key has, and the shard that it belongs to.
func (r *Records) hash(key uint64) (uint64, *shard) {
	h := mixed(key ^ r.seed)
	return h, &r.shards[h>>shardShift]
}

// header is how many bytes of a record come before its value: they have its length, since the block may be longer.
const header = 4

// Put makes a copy of value the key's value. If there is no memory for it, the error is [offheap.ErrNoMemory], and nothing has changed.
//
// The block is allocated before the mutex is locked, and what it replaces is freed afterwards: neither needs it.
func (r *Records) Put(key uint64, value []byte) error {
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

// Get appends the key's value to into, and reports whether there is one. It is copied while the mutex is locked: later another goroutine may free it.
func (r *Records) Get(key uint64, into []byte) (value []byte, found bool) {
	h, s := r.hash(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	record := s.table.get(h)
	if record == 0 {
		return into, false
	}
	memory := r.arena.Bytes(record)
	n := binary.NativeEndian.Uint32(memory)
	return append(into, memory[header:header+n]...), true
}

// Delete forgets the key, and reports whether it had a value.
func (r *Records) Delete(key uint64) bool {
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

// Len returns how many keys have a value. It looks at one shard after the other.
func (r *Records) Len() (n int) {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		n += s.table.used
		s.mu.Unlock()
	}
	return n
}

// Close frees all memory. The arena stays. Nobody may use the store any more.
func (r *Records) Close() {
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

// arenaStore is the store of the variant.
type arenaStore struct{ *Records }

// perRecord is how much of the arena there is for each record: an average one takes 221 bytes, as its size is a power of two, and its part of a table is from 22 to 43 bytes, and half as much again
// while the table grows. Reserving what is never touched costs nothing.
const perRecord = 512

// base is how much more there is: the tables of a store without records, and what is in the caches of processors.
const base = 16 << 20

func openOffheap(records int) (store, error) {
	arena, err := offheap.New(int64(records)*perRecord+base, offheap.SmallestBlock(64))
	if err != nil {
		return nil, err
	}
	r, err := NewRecords(arena)
	if err != nil {
		return nil, errors.Join(err, arena.Close())
	}
	return arenaStore{r}, nil
}

func (s arenaStore) put(key uint64, value []byte) error { return s.Put(key, value) }

func (s arenaStore) get(key uint64, into []byte) ([]byte, bool) { return s.Get(key, into[:0]) }

func (s arenaStore) remove(key uint64) bool { return s.Delete(key) }

func (s arenaStore) count() int { return s.Len() }

// close fails if a block is left that is no record of the store.
func (s arenaStore) close() error {
	s.Close()
	return s.arena.Close()
}
