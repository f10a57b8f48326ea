package ddb

import (
	"math"
	"sync/atomic"

	"github.com/freerun-go/freerun/offheap"
)

// shard is the state of one unit: a part of the key space. It is plain sequential code; the runtime sees to it that
// one operation at a time runs on it.
//
// Invariants: entries[e.position] == e.id for each entry that is not free, and nothing else is in entries;
// expiring[e.expiry] == e.id exactly for the entries with a deadline, least deadline first; used is the sum of the entries'
// costs, and volatile that of those with a deadline.
type shard struct {
	clock func() int64 // Unix milliseconds
	now   int64        // the time that the operation in hand goes by
	tick  uint32       // the same as entries keep it, see use

	records  *records
	entries  []uint32 // without holes, so that SCAN has positions to go by
	expiring []uint32 // a heap, see expiry.go

	stats shardStats

	watched map[string]*watchpoint // by key, the first of those that are up for it

	budget      *budget
	account     *account
	used        int64
	volatile    int64
	reservation int64
	pool        candidates

	// earliest is the least deadline of all entries, for the sweeper, which reads it without a message.
	earliest *atomic.Int64
}

// shardStats is what INFO adds up over the shards.
type shardStats struct {
	keys, expires                  int
	used                           int64
	hits, misses, expired, evicted uint64
}

// never is the earliest deadline of a shard in which nothing expires.
const never = math.MaxInt64

func newShard(clock func() int64, r *records, b *budget, number int) shard {
	s := shard{clock: clock, records: r, budget: b, account: b.accounts[number], earliest: new(atomic.Int64)}
	s.earliest.Store(never)
	return s
}

// begin takes the time for the commands of one message and end publishes what others must know.
func (s *shard) begin() {
	s.now = s.clock()
	s.tick = uint32(s.now >> tickBits)
}

func (s *shard) end() {
	earliest := int64(never)
	if len(s.expiring) > 0 {
		earliest = s.records.at(s.expiring[0]).deadline
	}
	if s.earliest.Load() != earliest {
		s.earliest.Store(earliest)
	}
	s.publish()
}

// find returns the entry of a key, nil if there is none. A key that is due is removed here and not found.
func (s *shard) find(key []byte) *entry {
	e := s.records.find(key)
	if e != nil && s.due(e) {
		s.expire(e)
		return nil
	}
	return e
}

// look is find for the commands that count in keyspace_hits and keyspace_misses.
func (s *shard) look(key []byte) *entry {
	e := s.find(key)
	if e == nil {
		s.stats.misses++
	} else {
		s.stats.hits++
	}
	return e
}

// read is look for those that use the value.
func (s *shard) read(key []byte) *entry {
	e := s.look(key)
	if e != nil {
		s.use(e)
	}
	return e
}

// put gives a key a copy of value. e is what find returned for it, and b what records.prepare did, or none. The deadline stays; see setDeadline.
// It returns nil, and changes nothing but that others were evicted, if there is no memory for it.
func (s *shard) put(e *entry, key, value []byte, b offheap.Block) *entry {
	if e == nil {
		return s.insert(key, value, b)
	}
	before := e.cost
	if !s.fit(e, len(value), func() error { return s.records.set(e, value, b) }) {
		return nil
	}
	s.changed(e, before)
	return e
}

// extend appends to the value of an entry, and reports whether there was memory for it.
func (s *shard) extend(e *entry, more []byte) bool {
	before := e.cost
	if !s.fit(e, int(e.length)+len(more), func() error { return s.records.extend(e, more) }) {
		return false
	}
	s.changed(e, before)
	return true
}

// changed accounts for a new value.
func (s *shard) changed(e *entry, before uint32) {
	delta := int64(e.cost) - int64(before)
	if e.deadline != 0 {
		s.volatile += delta
	}
	s.charge(delta)
	s.use(e)
	s.touch(e)
}

// insert adds a key that is not there.
func (s *shard) insert(key, value []byte, b offheap.Block) *entry {
	var e *entry
	if !s.fit(nil, len(key)+len(value), func() (err error) { e, err = s.records.add(key, value, b); return }) {
		return nil
	}
	e.position = int32(len(s.entries))
	s.entries = append(s.entries, e.id)
	s.charge(int64(e.cost))
	s.use(e)
	s.touch(e)
	return e
}

// fit tries to store n bytes. While the arena has no block for them it evicts others than keep, up to many times as much; it may be that what is
// free lies in pieces. It reports whether it could.
func (s *shard) fit(keep *entry, n int, try func() error) bool {
	for left := 16 * int64(n+overheadOffHeap); ; {
		if try() == nil {
			return true
		}
		freed := s.evict(keep)
		if freed == 0 || left <= 0 {
			return false
		}
		left -= freed
	}
}

// remove deletes an entry; the last one takes its place in entries (SCAN relies on that, see scan).
func (s *shard) remove(e *entry) {
	s.touch(e)
	s.setDeadline(e, 0)
	last := len(s.entries) - 1
	moved := s.entries[last]
	s.entries[e.position], s.records.at(moved).position = moved, e.position
	s.entries = s.entries[:last]
	s.charge(-int64(e.cost))
	s.records.drop(e)
}

// flush deletes everything.
func (s *shard) flush() {
	for key := range s.watched {
		if e := s.find([]byte(key)); e != nil {
			s.touch(e)
		}
	}
	s.charge(-s.used)
	s.records.clear()
	s.entries, s.expiring, s.volatile, s.pool = nil, nil, 0, candidates{}
}
