package sched

// rest finds a task elsewhere, or parks until there is one. It returns nil when the scheduler quits and nothing is left.
func (p *Processor) rest() *Task {
	s := p.scheduler
	for searching := s.census.beginSearch(); ; searching = true {
		if searching {
			if t := p.search(); t != nil {
				return t
			}
		}
		if s.quit.hasRung() || !p.park(searching) {
			return p.lastLook()
		}
	}
}

// lastLook finds a task for a processor that would end otherwise.
func (p *Processor) lastLook() *Task {
	if t := p.next(); t != nil {
		return t
	}
	return p.raid()
}

// park sleeps until somebody wakes this processor, as a searcher, and returns true; false if the scheduler quits. The steps are
// those of the parking protocol in gate.go.
func (p *Processor) park(searching bool) bool {
	s := p.scheduler
	p.slot.forget()
	p.offer.slot.forget()
	p.counters.parks.Add(1)                                                 // before anybody can see it parked
	s.parked.raise(p.index)                                                 // P1
	noneSearching, idle := s.census.leave(searching)                        // P2
	if noneSearching && s.hasWork() && s.census.summon(len(s.processors)) { // P3
		if s.parked.lower(p.index) {
			return true
		}
		s.sendToken() // somebody woke this processor already: wake another
	} else if idle {
		s.wentIdle()
	}
	return p.bed.sleep(p.host.Load(), &s.quit) // P4
}
