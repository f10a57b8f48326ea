package ddb

import "math/rand/v2"

// Selecting the keys to evict: plain sequential code of one shard.

// standardSamples is Redis's default of maxmemory-samples.
const standardSamples = 5

// tickBits is how many low bits of the time in milliseconds an entry's clock leaves out. The clock
// counts in 16 milliseconds and wraps in two years: an entry unused for longer looks younger than
// it is.
const tickBits = 4

// use records that an entry is used now.
func (s *shard) use(e *entry) { e.clock = s.tick }

// idle returns the ticks since an entry with this clock was used.
func (s *shard) idle(clock uint32) uint32 { return s.tick - clock }

// evictable returns how many bytes of the shard the policy may evict.
func (s *shard) evictable() int64 {
	switch s.budget.evicting() {
	case AllKeysLRU:
		return s.used
	case VolatileTTL:
		return s.volatile
	}
	return 0
}

// evict removes the entry that the policy selects, never keep. It returns how many bytes that
// freed, 0 if the policy finds no entry.
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

// firstToExpire returns the entry with the earliest deadline other than keep. The heap of deadlines
// knows it exactly; Redis samples.
func (s *shard) firstToExpire(keep *entry) *entry {
	for i := range min(len(s.expiring), 3) { // the root, or if that is keep its earlier child
		e := s.records.at(s.expiring[i].id)
		switch {
		case e == keep:
			continue
		case i == 1 && len(s.expiring) > 2 && s.expiresBefore(2, 1) && s.records.at(s.expiring[2].id) != keep:
			return s.records.at(s.expiring[2].id)
		}
		return e
	}
	return nil
}

// candidates are the longest unused entries that earlier samples found, and that may still be
// there: Redis's eviction pool (antirez, Random notes on improving the Redis LRU algorithm, 2016).
// With it, five samples come close to true LRU. The longest unused entry is last.
type candidates struct {
	all [16]candidate
	n   int
}

// candidate is an entry as it was sampled. It is stale if its clock has changed or the entry was
// removed.
type candidate struct{ id, clock uint32 }

// leastRecentlyUsed returns an entry other than keep that has not been used for long: the best of
// new samples and of the candidates.
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

// propose puts an entry into the pool if there is room, or if it has been unused for longer than a
// candidate.
func (s *shard) propose(e, keep *entry) {
	p, c := &s.pool, candidate{e.id, e.clock}
	if e == keep {
		return
	}
	at := 0 // how many candidates were used later
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
