package records

import (
	"sync"
)

// maps is the store as most programmers would first write it: maps, each under a mutex.
type maps struct{ shards [shardCount]mapShard }

type mapShard struct {
	mu     sync.Mutex
	values map[uint64][]byte
	_      [112]byte // two mutexes must not share a cache line
}

func openMaps(int) (compared, error) {
	m := new(maps)
	for i := range m.shards {
		m.shards[i].values = make(map[uint64][]byte)
	}
	return m, nil
}

func (m *maps) shard(key uint64) *mapShard { return &m.shards[mixed(key)>>shardShift] }

func (m *maps) put(key uint64, value []byte) error {
	own := make([]byte, len(value))
	copy(own, value)
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = own
	return nil
}

// get returns the value in the map, which is never overwritten. The collector keeps it while a
// caller refers to it.
func (m *maps) get(key uint64, _ []byte) ([]byte, bool) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	value, found := s.values[key]
	return value, found
}

func (m *maps) remove(key uint64) bool {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, found := s.values[key]
	delete(s.values, key)
	return found
}

func (m *maps) count() (n int) {
	for i := range m.shards {
		n += len(m.shards[i].values)
	}
	return n
}

func (m *maps) close() error { return nil }
