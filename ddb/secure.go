package ddb

import "github.com/freerun-go/freerun/offheap"

// Reserving memory for a command. Before a command that may need memory begins, the most that it
// may need is reserved in the budget, by evicting keys if necessary. So the limit holds whatever
// runs at the same time, and a command that does not fit changes nothing.

// growth says what a command may write, as far as memory is concerned.
type growth uint8

const (
	keeps    growth = iota // nothing
	replaces               // the second argument becomes the value of the first
	extends                // the second argument is appended to the value of the first
	counts                 // a number becomes the value of the first argument
	pairs                  // values for several keys, alternating
)

// longestNumber is the length of the longest number that a counting command writes.
const longestNumber = 20

// verdict is the outcome of reserving memory.
type verdict uint8

const (
	secured verdict = iota
	refused         // there is no memory, and nothing to evict
	starved         // other shards might have something to evict
)

// demand returns how many bytes a task may need. gross assumes that the replaced value frees
// nothing; net is the growth over the entries as they are now. Evictions can raise net up to gross,
// because they may remove the entry that the task would replace.
func (s *shard) demand(t *task) (gross, net int64) {
	if t.cmd.grows == pairs {
		for _, i := range t.part.picks {
			g, n := s.demandOf(t, i, len(t.args[i+1]))
			gross, net = gross+g, net+n
		}
		return gross, net
	}
	length := longestNumber
	if t.cmd.grows != counts {
		length = len(t.args[2])
	}
	return s.demandOf(t, 1, length)
}

func (s *shard) demandOf(t *task, key, length int) (gross, net int64) {
	e := s.find(t.args[key])
	if e == nil {
		gross = s.records.costOf(len(t.args[key]), length)
		return gross, gross
	}
	switch {
	case t.cmd.grows != extends:
		gross = s.records.costOf(len(t.args[key]), length)
	case s.records.hasRoom(e, length):
		gross = int64(e.cost)
	default:
		gross = s.records.costExtended(len(t.args[key]), int(e.length)+length)
	}
	return gross, max(0, gross-int64(e.cost))
}

// demandOfAll returns how many bytes the tasks of a transaction may need: for each key the largest
// size that its value can reach in between, whether or not each command takes effect.
func (s *shard) demandOfAll(tasks []task) (gross, net int64) {
	type growing struct{ length, cost, present int64 }
	keys := map[string]*growing{}
	write := func(t *task, key, length int) {
		k := keys[string(t.args[key])]
		if k == nil {
			k = &growing{}
			keys[string(t.args[key])] = k
			if e := s.find(t.args[key]); e != nil {
				k.length, k.present = int64(e.length), int64(e.cost)
			}
		}
		cost := s.records.costOf(len(t.args[key]), length)
		switch t.cmd.grows {
		case extends:
			k.length += int64(length)
			cost = s.records.costExtended(len(t.args[key]), int(min(k.length, maxValue)))
		case counts:
			k.length = max(k.length, int64(length))
		default:
			// With NX or XX the command may leave the value as it was.
			k.length = max(k.length, int64(length))
		}
		k.cost = max(k.cost, cost)
	}
	for i := range tasks {
		switch t := &tasks[i]; t.grows() {
		case keeps:
		case pairs:
			for _, i := range t.part.picks {
				write(t, i, len(t.args[i+1]))
			}
		case counts:
			write(t, 1, longestNumber)
		default:
			write(t, 1, len(t.args[2]))
		}
	}
	for _, k := range keys {
		gross += k.cost
		net += max(0, k.cost-k.present)
	}
	return gross, net
}

// secure brings the reservation to what a command may need. asked says that the connection has
// asked other shards already; what they freed is in the reservation.
func (s *shard) secure(gross, net int64, asked bool) verdict {
	b, evicted := s.budget, s.stats.evicted
	if !asked && b.over() {
		if v := s.evictBeforeCommand(); v != secured {
			return v
		}
		if s.stats.evicted != evicted {
			net = gross // the value to be replaced may be gone
		}
	}
	if s.reserve(gross) || s.reserve(net) {
		return secured
	}
	if limit := b.limit.Load(); gross > limit || s.budget.evicting() == NoEviction {
		return s.reserveReclaimed(gross, net)
	}
	elsewhere := !asked && s.othersEvictable()
	// It is a small part of this shard, or no other shard can help.
	if gross <= s.evictable()/8 || !elsewhere {
		for s.reservation < gross && s.evict(nil) > 0 {
		}
		if s.reservation >= gross {
			return secured
		}
		if s.stats.evicted != evicted {
			net = gross
		}
	}
	if v := s.reserveReclaimed(gross, net); v == secured || !elsewhere {
		return v
	}
	return starved
}

// othersEvictable reports whether other shards had something to evict after their last messages.
func (s *shard) othersEvictable() bool {
	return s.budget.evictable() > int64(s.account.evictable.Load())
}

// reserveReclaimed takes back the credit of other shards, and reserves gross or else net of it.
func (s *shard) reserveReclaimed(gross, net int64) verdict {
	if s.budget.reclaim() && s.reserve(gross) || s.reserve(net) {
		return secured
	}
	return refused
}

// evictBeforeCommand evicts while more is reserved than a lowered limit allows, at most a portion:
// the command must not pay for all of it. The sweeper goes on.
func (s *shard) evictBeforeCommand() verdict {
	switch {
	case !s.evictOverLimit(evictPortion):
		return secured
	case s.evictable() > 0:
		return secured // later commands and the sweeper evict the rest
	case s.othersEvictable():
		return starved
	}
	return refused
}

// evictPortion is how many entries a command evicts for a lowered limit.
const evictPortion = 32

// evictOverLimit evicts at most so many entries while more is reserved than the limit allows. It
// reports whether that is still so.
func (s *shard) evictOverLimit(most int) (more bool) {
	if !s.budget.over() {
		return false
	}
	s.returnReservation()
	s.budget.reclaim()
	for s.budget.over() {
		if most == 0 || s.evict(nil) == 0 {
			return true
		}
		most--
		s.returnReservation()
	}
	return false
}

// allocBlocks gets the blocks for a part of MSET. If one is missing, it frees the others and
// returns false.
func (s *shard) allocBlocks(t *task) bool {
	if s.records.arena == nil || t.grows() != pairs {
		return true
	}
	p := t.part
	p.blocks = make([]offheap.Block, len(p.picks))
	for n, i := range p.picks {
		size := len(t.args[i]) + len(t.args[i+1])
		if !s.fit(nil, size, func() (err error) { p.blocks[n], err = s.records.allocBlock(len(t.args[i]), size); return }) {
			s.freeBlocks(t)
			return false
		}
	}
	return true
}

// freeBlocks gives back the blocks of allocBlocks that were not used.
func (s *shard) freeBlocks(t *task) {
	if t.part == nil {
		return
	}
	for n, b := range t.part.blocks {
		i := t.part.picks[n]
		s.records.freeBlock(b, len(t.args[i]), len(t.args[i])+len(t.args[i+1]))
	}
	t.part.blocks = nil
}
