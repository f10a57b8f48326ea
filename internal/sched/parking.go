package sched

import "github.com/freerun-go/freerun/internal/record"

// The parking protocol. A processor is awake or parked. Of those awake at most one searches, that
// is, looks through the queues of the others. Two halves make sure that no task stays queued while
// a processor is parked.
//
// A goroutine that queues a task:
//
//	S1  makes the task visible in a queue of any priority: ring, deque, slot, offer or inbox
//	    (an atomic store)
//	S2  reads the census; if none searches and one is parked, wakes one processor, as a searcher
//	    (W1, W2)
//
// A processor that found no task (the parker):
//
//	P1  raises its flag in parked
//	P2  leaves the census: awake−1, and searching−1 if it searched
//	P3  if none searches now, looks at all queues of all priorities once more;
//	    if there is a task, it wakes a processor as in S2, itself if it can
//	P4  otherwise sleeps until a waker that took its flag down sends it a token
//
// The goroutine that wakes a processor (the waker):
//
//	W1  raises the census: awake+1 and searching+1, with one CAS. So it is the only waker
//	W2  takes some flag down and sends the token to the processor of that flag
//
// Why no task is lost:
//
//	S1 comes before S2 and P2 before P3, and all four are sequentially consistent.
//	So either S2 sees the census without the parker, and wakes one, or P3 sees the task.
//	If S2 sees another searcher, then that searcher is before its P2, and its P3 comes after S1.
//	A searcher that finds a task leaves the search. If it was the only one, it looks at all queues
//	as in P3, to wake the next: more tasks may have come while S2 saw it searching.
//
// Why W2 finds a flag:
//
//	Flags are raised before the census falls, and fall after it rose. So each waker finds a flag.
//	If the processor of that flag is between P1 and P4, it finds the token at P4.
//
// Rejected: waking a processor at each push (thundering herd: each finds nothing and parks again);
// a lock around the list of parked processors (a waker that is preempted in it stops all the
// others).
//
// Checked by: TestExploreParking, TestExploreWaking, TestExploreHelp, TestExploreMoreHelp,
// TestExploreMany

// wakeOne wakes a processor to search, unless one searches or all are awake (S2). Any goroutine.
func (s *Scheduler) wakeOne() {
	if !s.census.complete() && s.census.summon() {
		s.sendToken()
	}
}

// sendToken wakes some parked processor (W2). The caller has summoned one (W1).
func (s *Scheduler) sendToken() {
	// The flag comes before the list, because it may belong to a processor that was just added.
	i := s.parked.lowerAny()
	s.all()[i].parker.unpark()
	s.armMonitor()
}

// rest finds a task elsewhere, or parks until there is one. It returns nil when the scheduler
// quits and nothing is left, or, with out, when the processor is out of service. Owner only.
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

// tellResting tells [Config.Resting] that this processor may run no task for long.
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

// wakeReason says how a processor's sleep ended.
type wakeReason int

const (
	wokenToSearch  wakeReason = iota // a waker chose it, as a searcher
	wokenDismissed                   // it was taken out of service
	wokenToQuit                      // the scheduler ends
)

// park sleeps until this processor is woken. The steps are those of the parking protocol above.
func (p *Processor) park(searching bool) wakeReason {
	s := p.scheduler
	p.slot.forget()
	p.offer.slot.forget()
	p.counters.parks.Add(1) // before any other goroutine can see it parked
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
		s.sendToken() // a waker has already chosen this processor: wake another
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
