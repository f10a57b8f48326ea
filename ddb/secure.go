package ddb

import "github.com/freerun-go/freerun/offheap"

// Before a command is executed that may need memory, what it may need is secured: reserved in the budget, by evicting others if need be. So
// the limit holds whatever runs at the same time, and a command that does not fit changes nothing.

// growth says what a command may write, as far as memory is concerned.
type growth uint8

const (
	keeps    growth = iota // nothing
	replaces               // the second argument becomes the value of the first
	extends                // it is added to that
	counts                 // a number becomes the value of the first argument
	pairs                  // values for several keys, one after the other
)

// longestNumber is the length of the longest number that counts writes.
const longestNumber = 20

// verdict is what became of securing memory.
type verdict uint8

const (
	secured verdict = iota
	refused         // there is no memory, and nothing to evict
	starved         // other shards might have something to evict
)

// demand returns how many bytes a task may need: gross, if nothing of what it replaces were to become free, and net, as the entries are now. With
// evicting the net demand may rise up to the gross one, as what would be replaced is evicted.
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

// demandOfAll returns how many bytes the tasks of a transaction may need: of each key, the most that its value may come to meanwhile, whatever
// becomes of the commands.
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
			k.length = max(k.length, int64(length)) // it may not be executed: NX, XX
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

// secure has the reservation hold what a command may need. again says that other shards have been asked already: what they gave is in the reservation.
func (s *shard) secure(gross, net int64, again bool) verdict {
	b, evicted := s.budget, s.stats.evicted
	if !again && b.over() {
		if v := s.evictBeforeCommand(); v != secured {
			return v
		}
		if s.stats.evicted != evicted {
			net = gross // what would have been replaced may be gone
		}
	}
	if s.reserve(gross) || s.reserve(net) {
		return secured
	}
	if limit := b.limit.Load(); gross > limit || s.budget.evicting() == NoEviction {
		return s.reserveReclaimed(gross, net)
	}
	elsewhere := !again && s.othersEvictable()
	if gross <= s.evictable()/8 || !elsewhere { // it is not much of this shard, or nobody else can help
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

// reserveReclaimed takes back what other shards have reserved and do not use.
func (s *shard) reserveReclaimed(gross, net int64) verdict {
	if s.budget.reclaim() && s.reserve(gross) || s.reserve(net) {
		return secured
	}
	return refused
}

// evictBeforeCommand evicts while more is reserved than the limit allows, since that was lowered. A command pays no more than a portion; the sweeper goes on.
func (s *shard) evictBeforeCommand() verdict {
	switch {
	case !s.evictOverLimit(evictPortion):
		return secured
	case s.evictable() > 0:
		return secured // and more is evicted by what comes next
	case s.othersEvictable():
		return starved
	}
	return refused
}

// evictPortion is how many entries a command evicts for others.
const evictPortion = 32

// evictOverLimit evicts at most so many entries, while more is reserved than the limit allows, and reports whether that is still so.
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

// allocBlocks gets the blocks of a part of MSET, or returns false, and has none.
func (s *shard) allocBlocks(t *task) bool {
	if s.records.arena == nil || t.grows() != pairs {
		return true
	}
	p := t.part
	p.blocks = make([]offheap.Block, len(p.picks))
	for n, i := range p.picks {
		size := len(t.args[i]) + len(t.args[i+1])
		if !s.fit(nil, size, func() (err error) { p.blocks[n], err = s.records.allocBlock(size); return }) {
			s.freeBlocks(t)
			return false
		}
	}
	return true
}

// freeBlocks gives the blocks back that prepare has got.
func (s *shard) freeBlocks(t *task) {
	if t.part == nil {
		return
	}
	for _, b := range t.part.blocks {
		s.records.freeBlock(b)
	}
	t.part.blocks = nil
}
