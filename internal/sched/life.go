package sched

import "github.com/freerun-go/freerun/internal/record"

// rest finds a task elsewhere, or parks until there is one. It returns nil when the scheduler quits and nothing is left, or when the processor
// is out of service.
func (p *Processor) rest() (t *Task, out bool) {
	s := p.scheduler
	p.tellResting()
	for searching := s.census.beginSearch(); ; searching = true {
		if searching {
			if t := p.search(); t != nil {
				return t, false
			}
		}
		if s.quit.hasRung() {
			return p.lastLook(), false
		}
		if p.isSurplus() {
			p.withdraw(searching)
			return nil, true
		}
		switch p.park(searching) {
		case dismissed:
			return nil, true
		case quits:
			return p.lastLook(), false
		}
	}
}

// tellResting tells who made the scheduler that this processor may run no task for long.
func (p *Processor) tellResting() {
	if resting := p.scheduler.config.Resting; resting != nil {
		resting(p)
	}
}

// lastLook finds a task for a processor that would end otherwise.
func (p *Processor) lastLook() *Task {
	if t := p.next(); t != nil {
		return t
	}
	return p.raid()
}

// awakening is how a processor's sleep ends.
type awakening int

const (
	summoned  awakening = iota // somebody woke it, as a searcher
	dismissed                  // it was taken out of service
	quits                      // the scheduler ends
)

// park sleeps until somebody wakes this processor. The steps are those of the parking protocol in gate.go.
func (p *Processor) park(searching bool) awakening {
	s := p.scheduler
	p.slot.forget()
	p.offer.slot.forget()
	p.counters.parks.Add(1) // before anybody can see it parked
	p.breath.rested = true
	p.note(record.Park, false)
	defer p.note(record.Unpark, false)
	s.parked.raise(p.index)                                // P1
	noneSearching, idle := s.census.leave(searching)       // P2
	if noneSearching && s.hasWork() && s.census.summon() { // P3
		if s.parked.lower(p.index) {
			s.keepWatch()
			return summoned
		}
		s.sendToken() // somebody woke this processor already: wake another
	} else if idle {
		s.wentIdle()
	}
	if s.census.serving() > int(s.limit.Load()) { // see resize.go; this one may be among them
		s.dismissSleepers()
	}
	switch {
	case !p.bed.sleep(p.host.Load(), &s.quit): // P4
		return quits
	case p.dismiss.Get():
		return dismissed
	}
	p.counters.wakes.Add(1)
	return summoned
}
