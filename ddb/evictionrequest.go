package ddb

import (
	"cmp"
	"slices"
)

// Memory from other shards. A shard that lacks memory for a command evicts its own keys. If that
// would be a large part of them, or if it has none, other shards must evict, and a shard cannot
// wait for them. So it halts at that command, and at all later messages of the same connection in
// this batch. The connection is an ordinary goroutine and may wait: it asks the other shards one
// after another, and sends the halted messages again, with the bytes that the others freed. So
// commands keep their order, and no command is refused while a shard has something to evict.

// evictionRequest asks a shard to evict for another one.
type evictionRequest struct {
	// The bytes to evict, fewer if the shard has fewer. 0: only what the limit demands.
	amount int64
	freed  int64 // the outcome: bytes that now belong to the connection
	batch  *batch
}

// serveEviction evicts for another shard, and hands over the bytes that this freed.
func (s *shard) serveEviction(r *evictionRequest) {
	s.begin()
	defer s.end()
	s.evictOverLimit(sweepPortion)
	for r.freed < r.amount {
		freed := s.evict(nil)
		if freed == 0 {
			return
		}
		s.reservation -= freed
		r.freed += freed
	}
}

// halted returns the messages of the batch that must be sent again, in their order. It first
// collects the bytes that their shards lacked, as far as others can free them.
func (c *connection) halted() []*message {
	var again []*message
	for _, m := range c.outbox {
		if !m.halted {
			continue
		}
		m.halted = false
		again = append(again, m)
		for _, g := range m.groups {
			if g.lacking > 0 && !g.asked {
				g.grant, g.asked = c.requestEvictions(g.lacking), true
			}
		}
	}
	if len(again) > 0 {
		clear(c.batch.halts)
		c.server.stats.halted.Add(uint64(len(again)))
	}
	return again
}

// requestEvictions returns how many of the wanted bytes could be reserved.
func (c *connection) requestEvictions(wanted int64) (got int64) {
	b := c.server.budget
	b.reclaim()
	if b.take(wanted) {
		return wanted
	}
	// The fullest shards come first. No shard is asked for more than its share before all others
	// were asked.
	order := make([]int, len(b.accounts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Compare(b.accounts[y].evictable.Load(), b.accounts[x].evictable.Load())
	})
	share := wanted/int64(len(order)) + 1
	for any := true; any && got < wanted; {
		any = false
		for _, shard := range order {
			if b.accounts[shard].evictable.Load() == 0 {
				continue
			}
			r := &evictionRequest{amount: min(share, wanted-got), batch: c.batch}
			if !c.await(1, func(int) bool { return makeRoom.Tell(c.server.outside, c.server.units[shard], r) == nil }) {
				return got
			}
			any = any || r.freed > 0
			if got += r.freed; got >= wanted {
				break
			}
		}
	}
	if got > wanted {
		b.give(got - wanted)
		got = wanted
	}
	return got
}

// enforceLimit has each shard evict what a lowered limit demands, and waits for all of them.
func (c *connection) enforceLimit() {
	c.await(len(c.server.units), func(i int) bool {
		return makeRoom.Tell(c.server.outside, c.server.units[i], &evictionRequest{batch: c.batch}) == nil
	})
}
