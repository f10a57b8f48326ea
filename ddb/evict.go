package ddb

import "math/rand/v2"

// Which keys are evicted. Plain sequential code of one shard.

// standardSamples is Redis's maxmemory-samples.
const standardSamples = 5

// tickBits is how many bits of the time in milliseconds an entry's clock leaves out: it counts in 16 milliseconds and comes round in two years; an entry
// that nobody has used for so long is taken for a younger one.
const tickBits = 4

// use notes that an entry is used now.
func (s *shard) use(e *entry) { e.clock = s.tick }

// idle returns for how long an entry was not used.
func (s *shard) idle(clock uint32) uint32 { return s.tick - clock }

// evictable returns how many bytes of the shard the policy would evict.
func (s *shard) evictable() int64 {
	switch s.budget.evicting() {
	case AllKeysLRU:
		return s.used
	case VolatileTTL:
		return s.volatile
	}
	return 0
}

// evict removes the entry that the policy would have go first, but never keep, and returns how many bytes that set free: 0 if there is none.
func (s *shard) evict(keep *entry) (freed int64) {
	var e *entry
	switch s.budget.evicting() {
	case AllKeysLRU:
		e = s.leastRecentlyUsed(keep)
	case VolatileTTL:
		e = s.firstToExpire(keep)
	}
	if e == nil {
		return 0
	}
	freed = int64(e.cost)
	s.stats.evicted++
	s.remove(e)
	return freed
}

// firstToExpire returns the entry that would expire first: the heap of the expiring knows it exactly, where Redis samples.
func (s *shard) firstToExpire(keep *entry) *entry {
	for i := range min(len(s.expiring), 3) { // the first, or if that is keep the earlier of its children
		e := s.records.at(s.expiring[i])
		switch {
		case e == keep:
			continue
		case i == 1 && len(s.expiring) > 2 && s.expiresBefore(2, 1) && s.records.at(s.expiring[2]) != keep:
			return s.records.at(s.expiring[2])
		}
		return e
	}
	return nil
}

// candidates are the entries that were found to be unused for longest when others were looked for, and are there still, perhaps: Redis's eviction
// pool (antirez, Random notes on improving the Redis LRU algorithm, 2016). With it five samples come near to what LRU would evict. The longest unused
// is last.
type candidates struct {
	all [16]candidate
	n   int
}

// candidate is an entry as it was. If its clock has changed, or the entry was removed, it is none any more.
type candidate struct{ id, clock uint32 }

// leastRecentlyUsed returns an entry that has not been used for long: among samples, and what was found before.
func (s *shard) leastRecentlyUsed(keep *entry) *entry {
	n := len(s.entries)
	if n == 0 || (n == 1 && keep != nil) {
		return nil
	}
	samples := int(s.budget.samples.Load())
	for {
		if samples >= n {
			for _, id := range s.entries {
				s.propose(s.records.at(id), keep)
			}
		} else {
			for range samples {
				s.propose(s.records.at(s.entries[rand.IntN(n)]), keep)
			}
		}
		for s.pool.n > 0 {
			s.pool.n--
			c := s.pool.all[s.pool.n]
			if e := s.records.at(c.id); e.position >= 0 && e.clock == c.clock && e != keep {
				return e
			}
		}
	}
}

// propose puts an entry into the pool, if it has been unused for longer than one that is there or if there is room.
func (s *shard) propose(e, keep *entry) {
	p, c := &s.pool, candidate{e.id, e.clock}
	if e == keep {
		return
	}
	at := 0 // how many of those in the pool were used later
	for at < p.n && s.idle(p.all[at].clock) < s.idle(c.clock) {
		at++
	}
	for i := at; i < p.n && s.idle(p.all[i].clock) == s.idle(c.clock); i++ {
		if p.all[i] == c {
			return
		}
	}
	switch {
	case p.n < len(p.all):
		copy(p.all[at+1:p.n+1], p.all[at:p.n])
		p.n++
	case at == 0:
		return
	default:
		at--
		copy(p.all[:at], p.all[1:at+1])
	}
	p.all[at] = c
}
