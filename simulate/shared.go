package simulate

// The second model adds to the first what all processors share: the words that they all write, what
// a searcher reads, and Go's collector. See docs/simulation.md.

// word is a word that several processors write. Its cache line goes from writer to writer, and they
// wait for their turns.
type word struct {
	owner int // index of the processor that wrote it last, plus 1; 0 if none has
	// It went from writer to writer without a break from began until free.
	began, free float64
}

// write has p write the word. Clocks differ by as much as a piece, so a processor that is behind
// may come after one that it precedes: it finds the word free.
func (w *word) write(m *machine, p *processor) {
	if w.owner == p.index+1 || w.owner == 0 {
		w.owner = p.index + 1
		return
	}
	w.owner = p.index + 1
	took := m.costs.Transfer
	switch at := p.clock; {
	case at >= w.free:
		w.began, w.free = at, at+took
	case at >= w.began:
		took += w.free - at
		w.free = at + took
	}
	p.waiting += took
	m.work(p, took)
}

// shared has the words that all processors write, and the state of the collector.
type shared struct {
	census  word
	flags   []word // a word for 64 processors: which of them are parked
	queues  []word // by processor: the end of its queues at which others take
	changes []uint64
	raised  []uint64   // how often the words of flags have changed
	seen    [][]uint64 // by searcher: changes and then raised at its last look
	// what the processors do, by processor
	searches []bool
	parked   []bool

	allocated float64 // bytes since the last cycle of the collector
}

func (s *shared) grow(n int) {
	for len(s.queues) < n {
		if len(s.queues)%64 == 0 {
			s.flags = append(s.flags, word{})
			s.raised = append(s.raised, 0)
		}
		s.queues = append(s.queues, word{})
		s.changes = append(s.changes, 0)
		s.seen = append(s.seen, nil)
		s.searches = append(s.searches, false)
		s.parked = append(s.parked, false)
	}
}

// look returns the time of p's look at all queues. The queues of a processor that is awake, and a
// word of flags, are a cache line that moves if they have changed since p's last look; otherwise
// they are in p's cache. Of one that is parked p reads its flag only. The first look of a search is
// counted in the census.
func (s *shared) look(m *machine, p *processor) float64 {
	if !s.searches[p.index] {
		s.searches[p.index] = true
		s.census.write(m, p)
	}
	if s.seen[p.index] == nil {
		s.seen[p.index] = make([]uint64, len(s.changes)+len(s.raised))
	}
	seen := s.seen[p.index]
	took := m.costs.Look
	for i, n := range s.changes {
		switch {
		case i == p.index:
		case s.parked[i] || seen[i] == n:
			took += m.costs.Hit
		default:
			took += m.costs.Transfer
			seen[i] = n
		}
	}
	seen = seen[len(s.changes):]
	for i, n := range s.raised {
		if seen[i] != n {
			took += m.costs.Transfer
			seen[i] = n
		}
	}
	return took
}

// parks notes that p goes to sleep.
func (s *shared) parks(m *machine, p *processor) {
	if s.parked[p.index] {
		return
	}
	s.parked[p.index], s.searches[p.index] = true, false
	s.raised[p.index/64]++
	s.flags[p.index/64].write(m, p)
	s.census.write(m, p)
}

// wakes notes that by has woken p, which searches now.
func (s *shared) wakes(m *machine, by, p *processor) {
	s.parked[p.index], s.searches[p.index] = false, true
	s.raised[p.index/64]++
	s.census.write(m, by)
	s.flags[p.index/64].write(m, by)
}

// begins notes that p begins an operation, which ends a search, and allocates.
func (s *shared) begins(m *machine, p *processor) {
	s.changes[p.index]++
	if s.searches[p.index] {
		s.searches[p.index] = false
		s.census.write(m, p)
	}
	c := &m.costs.Collector
	m.work(p, c.Bytes*c.PerByte)
	if s.allocated += c.Bytes; c.Cycle > 0 && s.allocated >= c.Cycle {
		s.allocated = 0
		for i := range m.processors {
			m.processors[i].clock += c.Stop
			m.processors[i].waiting += c.Stop
		}
	}
}

// steals notes that p has stolen from victim, and returns the time of what the theft moves besides
// the end of the victim's queue.
func (s *shared) steals(m *machine, p, victim *processor) (rest float64) {
	s.queues[victim.index].owner = victim.index + 1 // which has queued since
	s.queues[victim.index].write(m, p)
	s.changes[victim.index]++
	return m.costs.Steal - m.costs.Transfer
}
