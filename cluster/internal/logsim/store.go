package logsim

import (
	"math/rand/v2"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// World is the virtual time in which a store stands, and what goes wrong there. One goroutine at a
// time uses it, and the store.
type World interface {
	// After has f happen after a while.
	After(d time.Duration, f func())
	Now() time.Duration
	// Random draws all that is drawn.
	Random() *rand.Rand
	// Happens draws whether something goes wrong that has a rate.
	Happens(rate float64) bool
}

// Faults are the rates of what goes wrong with calls.
type Faults struct {
	Lost    float64 // it has its effect, and its machine does not hear of it
	Dropped float64 // it has none
	Late    float64 // its effect comes when its machine has given it up
	Twice   float64 // it comes twice
	Slow    float64 // later Appends overtake it
	Full    float64 // there is no room from then on, for a while
}

// Store holds the logs and the entries that all machines share. Make it with [New].
type Store struct {
	world    World
	faults   Faults
	logs     []*log
	entries  []map[string]*entry // by partition
	revision uint64
	full     time.Duration // until when there is no room

	// Written is told each write that is made; it may be nil.
	Written func(p int, key string, value []byte)
	// Unfenced: writes do not look at the revision. It is wrong, for controls.
	Unfenced bool
}

// log is the log of a partition.
type log struct {
	first     uint64 // the number of entries[0]
	entries   [][]byte
	followers []*follower
}

// entry is an entry.
type entry struct {
	value    []byte
	revision uint64
}

// New returns an empty store.
func New(world World, faults Faults, partitions int) *Store {
	s := &Store{world: world, faults: faults}
	for range partitions {
		s.entries = append(s.entries, map[string]*entry{})
		s.logs = append(s.logs, &log{first: 1})
	}
	return s
}

// Partitions returns the number of partitions.
func (s *Store) Partitions() int { return len(s.logs) }

// Each calls each with all entries, in no order.
func (s *Store) Each(each func(p int, key string, value []byte)) {
	for p, entries := range s.entries {
		for key, e := range entries {
			each(p, key, e.value)
		}
	}
}

func (l *log) last() uint64 { return l.first + uint64(len(l.entries)) - 1 }

// isFull reports whether there is no room for what arrives.
func (s *Store) isFull() bool {
	if s.faults.Full == 0 {
		return false
	}
	if s.world.Happens(s.faults.Full) {
		s.full = s.world.Now() + s.delay(mostFull)
	}
	return s.world.Now() < s.full
}

// mostFull is how long there is no room.
const mostFull = 2 * time.Second

// append is an entry that arrives.
func (s *Store) append(p int, entry []byte) (seq uint64, err error) {
	if s.isFull() {
		return 0, engine.ErrNoSpace
	}
	l := s.logs[p]
	l.entries = append(l.entries, entry)
	for _, f := range l.followers {
		f.goOn()
	}
	return l.last(), nil
}

// swap is a SwapAll that arrives.
func (s *Store) swap(p int, writes []engine.Write, revisions []uint64) (first uint64, err error) {
	if s.isFull() {
		return 0, engine.ErrNoSpace
	}
	entries := s.entries[p]
	for i, revision := range revisions {
		have := uint64(0)
		if e := entries[string(writes[i].Key)]; e != nil {
			have = e.revision
		}
		if have != revision && !s.Unfenced {
			return 0, engine.ErrConflict
		}
	}
	told := s.revision + 1
	for _, w := range writes {
		s.revision++
		if s.Written != nil {
			s.Written(p, string(w.Key), w.Value)
		}
		if w.Value == nil {
			delete(entries, string(w.Key))
		} else {
			entries[string(w.Key)] = &entry{w.Value, s.revision}
		}
	}
	return told, nil
}

// delay draws a time up to most.
func (s *Store) delay(most time.Duration) time.Duration {
	return time.Duration(s.world.Random().Int64N(int64(most))) + 1
}
