package sched

import "github.com/freerun-go/freerun/internal/record"

// The parking protocol. A processor is awake or parked. Some of those awake search, that is, look
// through the queues of the others; the census counts them. One that is being woken counts as awake
// and as searching from the moment it is chosen. The protocol makes sure that no task stays queued
// while a processor is parked and none searches. It also says how many search:
//
//	room       is half the number of processors that are awake and do not search, and at least 1
//	a waker    wakes a processor only while fewer than room search or are being woken
//	a parker   begins a search only while fewer than room search, without those being woken: those
//	           burn nothing yet, and one that is here is faster than one that sleeps
//	a searcher looks at all queues searchRounds times, and parks
//
// So half as many search as work, and as many again for the few looks after they were woken.
// So a burst spreads as a tree: each task that is queued behind another, and each find that leaves
// more behind, wakes one more processor, up to half as many at a time as work. In the end all are
// awake, and to queue a task costs one load of the census more.
//
// A goroutine that queues a task:
//
//	S1  makes the task visible in a queue of any priority: ring, deque, slot, offer or inbox
//	    (an atomic store)
//	S2  reads the census; if fewer than room search and one is parked, wakes one processor, as a
//	    searcher (W1, W2); for a task that is alone in a ring or deque, only if none searches
//	    (wakeFor)
//	A thief that does not search queues the tasks that it moves to its ring in the same way, since
//	no goroutine sees them between the two rings.
//
// A searcher that finds a task:
//
//	F1  leaves the search: searching−1
//	F2  if its victim has more tasks, or it has some itself, or its search has passed over more
//	    (steal.go) than processors search now, or if none searches now and some queue has one,
//	    wakes a processor as in S2 for several tasks
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
//	W1  raises the census: awake+1 and searching+1, with one CAS that checks room. So of several
//	    goroutines that see the last place, one is the waker
//	W2  takes some flag down and sends the token to the processor of that flag
//
// Why no task is lost:
//
//	The last searcher is the one whose F1 or P2 takes searching from 1 to 0.
//	A task is covered if, after it is visible, S2 wakes a processor, or a last searcher looks.
//	S1 comes before S2, P2 before P3 and F1 before F2, and all are sequentially consistent.
//	S2 wakes no processor in two cases.
//	Either it reads that all are awake. Then each processor that parks later does P2 after S1. One
//	that does not search and leaves others searching is covered by the last of those; one that
//	leaves none searching looks itself (P3).
//	Or it reads searching ≥ room, or, for a task that is alone, searching ≥ 1. As room ≥ 1, some
//	processor searches then.
//	So either searches begin after S1 without end, and each of them looks, or searching reaches 0
//	later, by a last searcher, which is after S1 and looks: in P3, or in F2 unless it has already
//	seen a task, and wakes a processor for that.
//	That processor is a searcher, which in turn ends by P2 or F1. So while a task is visible and a
//	processor is parked, some processor searches, is being woken, or is about to look.
//	If W1 of P3 or F2 fails, then another goroutine made a searcher since, of which the same
//	holds, or all are awake, which is the first case.
//	A searcher may pass over a task and park. P3 and F2 pass over none, so one searches again, and
//	each processor passes over a task at most once while its queue stays as it is.
//
// Why a look may leave out the processors whose flags are up:
//
//	Only a processor's own goroutine queues tasks in its queues, its slot and its offer.
//	It found all of them empty before P1, and fills them again only after its flag is down.
//	So a flag that is up says that its processor has no task at the instant of reading it.
//	So a look costs a line for each processor that is awake, and one for 64 flags.
//	When the scheduler quits, a processor may work though its flag is up. It runs all its tasks.
//
// Why W2 finds a flag:
//
//	Flags are raised before the census falls, and fall after it rose. So each waker finds a flag.
//	If the processor of that flag is between P1 and P4, it finds the token at P4.
//
// Why rousing may be late: it decides only whether one more processor searches, or looks again. A
// processor that does not begin a search does P2 and P3 as every parker.
//
// Rejected: waking a processor at each push (thundering herd: each finds nothing and parks again);
// a lock around the list of parked processors (a waker that is preempted in it stops all the
// others); one searcher at a time (with 16 processors more run out of work than one searcher brings
// back); counting those being woken among the searchers that keep others from searching (all that
// run out meanwhile park, and to wake them costs more than they search); taking each task that is
// seen (steal.go). ADR 49 has figures.
//
// Checked by: TestExploreParking, TestExploreWaking, TestExploreHelp, TestExploreMoreHelp,
// TestExploreMany, TestExploreSearchers, TestExploreLone, TestExploreLoneRounds, TestExploreLoot;
// controls: TestExploreLastLook, TestExploreLoneControls; TestCensusRoom; TestSearchingAtHalfLoad
// and TestLoneTasksSpread of package simulate; TestManyProcessors of tests/contracts

// wakeOne wakes a processor to search, unless as many search as may or all are awake (S2). Any
// goroutine.
func (s *Scheduler) wakeOne() {
	if !s.census.complete() && s.census.summon() {
		s.sendToken()
	}
}

// wakeFor is wakeOne for a task that the caller has queued, where n are queued now. A task alone is
// not worth a second searcher. Any goroutine.
func (s *Scheduler) wakeFor(n int) {
	if n > 1 || wakesForOne && s.census.searching() == 0 {
		s.wakeOne()
	}
}

// sendToken wakes some parked processor (W2). The caller has summoned one (W1).
func (s *Scheduler) sendToken() {
	// The flag comes before the list, because it may belong to a processor that was just added.
	i := s.parked.lowerAny()
	s.census.rousing.Add(1)
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
	p.yieldTimer.slept, p.yieldTimer.woke = true, false
	p.note(record.Park, false)
	defer p.note(record.Unpark, false)
	s.parked.raise(p.index)                                                    // P1
	noneSearching, idle := s.census.leave(searching)                           // P2
	if noneSearching && lastLookOfParker && s.hasWork() && s.census.summon() { // P3
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
	s.census.rousing.Add(-1)
	p.counters.wakes.Add(1)
	return wokenToSearch
}
