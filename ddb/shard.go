package ddb

import (
	"math"
	"sync/atomic"

	"github.com/freerun-go/freerun/offheap"
)

// shard is the state of one unit: a part of the key space. It is plain sequential code; the runtime
// runs one operation at a time on it.
//
// Invariants:
// entries[e.position] == e.id for each entry that is not free, and entries holds nothing else.
// expiring[e.expiry].id == e.id exactly for the entries with a deadline; expiring is a heap with
// the earliest deadline first.
// used is the sum of the entries' costs, volatile the sum over entries with a deadline.
type shard struct {
	clock func() int64 // Unix milliseconds
	now   int64        // the time of the operation that runs
	tick  uint32       // now in the units of entry.clock, see use

	records  *records
	entries  []uint32     // without holes: SCAN's cursors are positions
	expiring []expiration // a heap, see expiry.go

	stats shardStats

	watched map[string]*watchpoint // by key, the first watchpoint of its list

	budget      *budget
	account     *account
	used        int64
	volatile    int64
	reservation int64
	pool        candidates
	seen        uint64 // means nothing, see records.prepare

	// earliest is the earliest deadline of all entries. The sweeper reads it without a message.
	earliest *atomic.Int64
}

// shardStats are the figures that INFO sums over the shards.
type shardStats struct {
	keys, expires                  int
	used                           int64
	hits, misses, expired, evicted uint64
}

// never is the earliest deadline of a shard without expiring keys.
const never = math.MaxInt64

func newShard(clock func() int64, r *records, b *budget, number int) shard {
	s := shard{clock: clock, records: r, budget: b, account: b.accounts[number], earliest: new(atomic.Int64)}
	s.earliest.Store(never)
	return s
}

// begin sets the time for the commands of one message. end publishes what other goroutines read.
func (s *shard) begin() {
	s.now = s.clock()
	s.tick = uint32(s.now >> tickBits)
}

func (s *shard) end() {
	earliest := int64(never)
	if len(s.expiring) > 0 {
		earliest = s.expiring[0].deadline
	}
	if s.earliest.Load() != earliest {
		s.earliest.Store(earliest)
	}
	s.publish()
}

// prepareTasks prepares the look-ups of the next tasks, and returns of how many.
func (s *shard) prepareTasks(tasks []task) int {
	tasks = tasks[:min(len(tasks), ahead)]
	if len(tasks) == 1 {
		return 1 // it would wait for the same misses
	}
	var keys [ahead][]byte
	n := 0
	for i := range tasks {
		if t := &tasks[i]; t.effect != nil {
			keys[n] = t.args[1]
			n++
		}
	}
	s.seen += s.records.prepare(&keys, n)
	return len(tasks)
}

// preparePicks prepares the look-ups of the next keys of a part, and returns of how many.
func (s *shard) preparePicks(args [][]byte, picks []int) int {
	picks = picks[:min(len(picks), ahead)]
	if len(picks) == 1 {
		return 1
	}
	var keys [ahead][]byte
	for n, i := range picks {
		keys[n] = args[i]
	}
	s.seen += s.records.prepare(&keys, len(picks))
	return len(picks)
}

// find returns the entry of a key, nil if there is none. It removes a key that is due.
func (s *shard) find(key []byte) *entry {
	e := s.records.find(key)
	if e != nil && s.due(e) {
		s.expire(e)
		return nil
	}
	return e
}

// look is find for commands that count in keyspace_hits and keyspace_misses.
func (s *shard) look(key []byte) *entry {
	e := s.find(key)
	if e == nil {
		s.stats.misses++
	} else {
		s.stats.hits++
	}
	return e
}

// read is look for commands that use the value.
func (s *shard) read(key []byte) *entry {
	e := s.look(key)
	if e != nil {
		s.use(e)
	}
	return e
}

// put gives a key a copy of value. e is the result of find for the key; b is the result of
// records.allocBlock, or none. The deadline stays; see setDeadline. Without memory for the value,
// put returns nil, and has changed nothing but evicted other keys.
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
	if e.expiry >= 0 {
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

// fit calls try, which stores n bytes, until it succeeds. Whenever the arena has no block, fit
// evicts entries other than keep. What is free may lie in pieces, so it evicts up to 16 times n
// before it gives up. It reports whether try succeeded.
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

// remove deletes an entry. The last entry takes its place in entries (scan relies on that).
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
