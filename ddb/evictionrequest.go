package ddb

import (
	"cmp"
	"slices"
)

// A shard that lacks memory for a command evicts what it has. If that would be much of it, or if it has nothing, others must evict, and a shard
// cannot wait for them: it halts at that command, and so does all that this connection has sent to it since. The connection, which is
// an ordinary goroutine and may wait, asks the other shards one after another, and sends what was halted once more, with what they gave.
// So commands keep their order, and nobody is refused while there is something to evict anywhere.

// evictionRequest is what a shard is asked for.
type evictionRequest struct {
	amount int64 // bytes to evict at least, if there are so many; 0: only what the limit demands
	freed  int64 // the outcome: bytes that are the connection's now
	batch  *batch
}

// serveEviction evicts for others, and hands over what that has set free.
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

// halted returns the messages of the batch that must be sent again, in their order, with what the shards lacked as far as it can be had.
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

// requestEvictions returns how many bytes it could get of those that are wanted; they are reserved.
func (c *connection) requestEvictions(wanted int64) (got int64) {
	b := c.server.budget
	b.reclaim()
	if b.take(wanted) {
		return wanted
	}
	// The fullest come first, and none is asked for more than its share before all others were asked.
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

// enforceLimit has each shard do what the limit demands, and waits for that.
func (c *connection) enforceLimit() {
	c.await(len(c.server.units), func(i int) bool {
		return makeRoom.Tell(c.server.outside, c.server.units[i], &evictionRequest{batch: c.batch}) == nil
	})
}
