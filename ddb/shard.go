package ddb

import (
	"math"
	"sync/atomic"
)

// entry is one key and its value. Its fields belong to the shard.
type entry struct {
	key      string
	value    []byte // never overwritten if its capacity is above shareable
	deadline int64  // Unix milliseconds; 0: the key does not expire
	position int    // in shard.entries
	expiry   int    // in shard.expiring, -1 if it is not there
}

// shard is the state of one unit: a part of the key space. It is plain sequential code; the runtime sees to it that
// one operation at a time runs on it.
//
// Invariants: table[k].key == k; entries[e.position] == e for each e in table and nothing else is in entries;
// expiring[e.expiry] == e exactly for the entries with a deadline, least deadline first.
type shard struct {
	clock func() int64 // Unix milliseconds
	now   int64        // the time that the operation in hand goes by

	table    map[string]*entry
	entries  []*entry // without holes, so that SCAN has positions to go by
	expiring expiryHeap

	stats shardStats

	watched map[string][]*watchpoint // by key, of all connections

	// earliest is the least deadline of all entries, for the sweeper, which reads it without a message.
	earliest *atomic.Int64
}

// shardStats is what INFO adds up over the shards.
type shardStats struct {
	keys, expires         int
	hits, misses, expired uint64
}

// never is the earliest deadline of a shard in which nothing expires.
const never = math.MaxInt64

func newShard(clock func() int64) shard {
	s := shard{clock: clock, table: map[string]*entry{}, earliest: new(atomic.Int64)}
	s.earliest.Store(never)
	return s
}

// begin takes the time for the commands of one message and end publishes what the sweeper must know.
func (s *shard) begin() { s.now = s.clock() }

func (s *shard) end() {
	earliest := int64(never)
	if len(s.expiring) > 0 {
		earliest = s.expiring[0].deadline
	}
	if s.earliest.Load() != earliest {
		s.earliest.Store(earliest)
	}
}

// find returns the entry of a key, nil if there is none. A key that is due is removed here and not found.
func (s *shard) find(key []byte) *entry {
	e := s.table[string(key)]
	if e != nil && s.due(e) {
		s.expire(e)
		return nil
	}
	return e
}

// read is find for the commands that count as reads in keyspace_hits and keyspace_misses.
func (s *shard) read(key []byte) *entry {
	e := s.find(key)
	if e == nil {
		s.stats.misses++
	} else {
		s.stats.hits++
	}
	return e
}

// put gives a key a copy of value. e is what find returned for it. The deadline stays; see setDeadline.
func (s *shard) put(e *entry, key, value []byte) *entry {
	if e == nil {
		return s.insert(key, append(make([]byte, 0, len(value)), value...))
	}
	s.touch(e.key)
	if cap(e.value) <= shareable && len(value) <= cap(e.value) {
		e.value = append(e.value[:0], value...)
	} else {
		e.value = append(make([]byte, 0, len(value)), value...)
	}
	return e
}

// insert adds a key that is not there, with a value that becomes the shard's own.
func (s *shard) insert(key, value []byte) *entry {
	e := &entry{key: string(key), value: value, position: len(s.entries), expiry: -1}
	s.table[e.key] = e
	s.entries = append(s.entries, e)
	s.touch(e.key)
	return e
}

// remove deletes an entry; the last one takes its place in entries (SCAN relies on that, see scan).
func (s *shard) remove(e *entry) {
	s.touch(e.key)
	s.setDeadline(e, 0)
	delete(s.table, e.key)
	last := len(s.entries) - 1
	moved := s.entries[last]
	s.entries[e.position], moved.position = moved, e.position
	s.entries[last] = nil
	s.entries = s.entries[:last]
}

// flush deletes everything.
func (s *shard) flush() {
	for key := range s.watched {
		if s.find([]byte(key)) != nil {
			s.touch(key)
		}
	}
	s.table, s.entries, s.expiring = map[string]*entry{}, nil, nil
}
