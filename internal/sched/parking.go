package sched

import "github.com/freerun-go/freerun/internal/record"

// The parking protocol. A processor is awake or parked; of those awake at most one searches, that is, looks through the
// queues of the others. Two halves make sure that no task is left lying while a processor is parked:
//
// Whoever queues a task:
//
//	S1  makes the task visible in a queue                              (ring, deque, slot or inbox, of any priority: an atomic store)
//	S2  reads the census; if nobody searches and somebody is parked, wakes one processor, as a searcher
//
// A processor that found nothing:
//
//	P1  raises its flag in parked
//	P2  leaves the census (awake−1, and searching−1 if it searched)
//	P3  if nobody searches now, looks at all queues, of all priorities, once more; if there is something, it wakes a processor as in S2,
//	    if it can itself
//	P4  otherwise sleeps until somebody who took its flag down sends it a token
//
// S1 comes before S2 and P2 before P3, and all four are sequentially consistent. So either S2 sees the census without
// the parker, and wakes one, or P3 sees the task. If S2 sees another searcher, then that one is before its P2, and its own P3
// comes after S1. A searcher that finds work leaves the search, and if it was the only one looks at all queues as in P3, to
// wake the next: more tasks may have come while S2 saw it searching.
//
// A waker raises the census first (W1, one CAS, which also makes it the only one that wakes) and takes a flag down
// then (W2). Flags are raised before the census falls and fall after it rose, so there is a flag for each waker. The token
// is sent to the processor whose flag fell; if that one is between P1 and P4, it finds the token at P4.
//
// Rejected: waking a processor at each push (thundering herd: each finds nothing and parks again); a lock around the list
// of parked processors (a waker that is preempted in it stops all the others).

// wakeOne wakes a processor to search, unless one searches or all are awake (S2).
func (s *Scheduler) wakeOne() {
	if !s.census.complete() && s.census.summon() {
		s.sendToken()
	}
}

// sendToken wakes some parked processor; the caller has summoned it.
func (s *Scheduler) sendToken() {
	i := s.parked.lowerAny() // before the list: whose flag it is may have come into it just now
	s.all()[i].parker.unpark()
	s.armMonitor()
}

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
		if s.quit.closed() {
			return p.lastLook(), false
		}
		if p.isSurplus() {
			p.withdraw(searching)
			return nil, true
		}
		switch p.park(searching) {
		case wokenDismissed:
			return nil, true
		case wokenToQuit:
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
	return p.findAnywhere()
}

// awakening is how a processor's sleep ends.
type wakeReason int

const (
	wokenToSearch  wakeReason = iota // somebody woke it, as a searcher
	wokenDismissed                   // it was taken out of service
	wokenToQuit                      // the scheduler ends
)

// park sleeps until somebody wakes this processor. The steps are those of the parking protocol in gate.go.
func (p *Processor) park(searching bool) wakeReason {
	s := p.scheduler
	p.slot.forget()
	p.offer.slot.forget()
	p.counters.parks.Add(1) // before anybody can see it parked
	p.yieldTimer.slept = true
	p.note(record.Park, false)
	defer p.note(record.Unpark, false)
	s.parked.raise(p.index)                                // P1
	noneSearching, idle := s.census.leave(searching)       // P2
	if noneSearching && s.hasWork() && s.census.summon() { // P3
		if s.parked.lower(p.index) {
			s.armMonitor()
			return wokenToSearch
		}
		s.sendToken() // somebody woke this processor already: wake another
	} else if idle {
		s.wentIdle()
	}
	if s.census.serving() > int(s.limit.Load()) { // see resize.go; this one may be among them
		s.dismissSleepers()
	}
	switch {
	case !p.parker.park(p.host.Load(), &s.quit): // P4
		return wokenToQuit
	case p.dismiss.Get():
		return wokenDismissed
	}
	p.counters.wakes.Add(1)
	return wokenToSearch
}
