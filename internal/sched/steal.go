package sched

import (
	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/record"
)

// search looks for a task in the inbox and at the other processors, and returns nil if it finds
// none. The caller is a searcher; it is no searcher any more when search returns a task.
func (p *Processor) search() *Task {
	p.counters.searches.Add(1)
	p.note(record.Search, false)
	p.passed, p.victim = 0, nil
	for round := range searchRounds {
		if round > 0 {
			p.letOthersRun()
		}
		p.patient = true
		t := p.findAnywhere()
		p.patient = false
		if t == nil {
			t = p.next() // what came to this processor alone in the meantime
		}
		if t != nil {
			p.note(record.SearchEnd, true)
			p.found()
			return t
		}
	}
	p.note(record.SearchEnd, false)
	return nil
}

// found ends the search of a processor that has found a task, and wakes another one if there is
// more (F1, F2). Most often the victim has, or the loot is more than one task, or the search has
// passed over more tasks than processors search for them: only the last searcher that sees none of
// these looks at all queues.
func (p *Processor) found() {
	s, victim := p.scheduler, p.victim
	last := s.census.endSearch()
	more := p.passed > max(1, s.census.searching()) || p.hasWork() || victim != nil && victim.hasWork()
	if more || lastLookOfFinder && last && s.hasWork() {
		s.wakeOne()
	}
}

// findAnywhere tries the inbox and all other processors for each priority, from the highest down,
// so that a near task of a low priority does not come before a distant one of a higher priority.
func (p *Processor) findAnywhere() *Task {
	for _, pr := range byRank {
		if t := p.takeInjected(pr); t != nil {
			return t
		}
		if t := p.stealAny(pr); t != nil {
			return t
		}
	}
	return nil
}

// takeInjected takes a task from the inbox of a priority; nil if there is none.
func (p *Processor) takeInjected(pr Priority) *Task {
	if pr == Normal {
		return p.takeFromInbox(&p.level)
	}
	if p.scheduler.board.inboxes[pr].Empty() {
		return nil
	}
	t := p.takeFromInbox(p.own(pr))
	if t != nil {
		p.took(pr)
	}
	return t
}

// stealAny tries every other processor once, beginning with a random one. It reads nothing of those
// that are parked but their flags.
func (p *Processor) stealAny(pr Priority) *Task {
	s := p.scheduler
	all := s.all()
	start := int(p.draw() % uint64(len(all)))
	for i := range all {
		victim := all[(start+i)%len(all)]
		if s.parked.isUp(victim.index) { // so it has nothing
			continue
		}
		if t := p.stealToRun(victim, pr); t != nil {
			return t
		}
	}
	return nil
}

// stealToRun is stealFrom for a task that the thief is about to run; it counts and records the
// theft. victim may be p itself, which has nothing to steal.
func (p *Processor) stealToRun(victim *Processor, pr Priority) *Task {
	if victim == p {
		return nil
	}
	before := p.counters.stolen.Load()
	t := p.stealFrom(victim, pr)
	if t != nil {
		p.victim = victim
		p.counters.steals.Add(1)
		p.noteSteal(victim, before)
		p.tellStolen(victim)
		p.took(pr)
	}
	return t
}

// stealFrom takes tasks of one priority: half of the victim's ring, or the oldest task of its
// deque, or its offer, or its share of the inbox, or the task in its slot if the running task
// keeps that waiting too long. It returns the first task and queues the rest here. The ring of
// that priority on p must be empty. A searcher may pass over a task.
func (p *Processor) stealFrom(victim *Processor, pr Priority) *Task {
	theirs := victim.levelOf(pr)
	if theirs == nil {
		return nil
	}
	if pr != Normal || !p.passesOver(victim) {
		if t := p.stealQueued(theirs); t != nil {
			return t
		}
	}
	if pr == Normal {
		if t := victim.offer.slot.steal(); t != nil {
			p.counters.stolen.Add(1)
			return t
		}
	}
	if theirs.share.Load() != nil {
		if list := theirs.share.Swap(nil); list != nil {
			p.counters.stolen.Add(1)
			return p.unpack(p.own(pr), list)
		}
	}
	if pr == Normal && victim.slotOpen.Load() {
		if t := victim.slot.steal(); t != nil {
			t.stolen()
			p.counters.stolen.Add(1)
			return t
		}
	}
	return nil
}

// stealQueued takes half of a victim's ring, or the oldest task of its deque.
func (p *Processor) stealQueued(theirs *level) *Task {
	if t := p.stealRing(theirs); t != nil {
		return t
	}
	for {
		switch t, outcome := theirs.thief.Steal(); outcome {
		case deque.Stolen:
			p.counters.stolen.Add(1)
			return t
		case deque.Empty:
			return nil
		}
	}
}

// stealRing takes half of a victim's ring and returns the oldest task; nil if the ring was empty.
// No goroutine sees the other tasks between their two rings, so they are queued anew: a searcher
// wakes a processor for them when its search ends (F2), and another thief does so here (S2).
func (p *Processor) stealRing(theirs *level) *Task {
	mine := p.own(theirs.priority)
	n := mine.ring.stealHalf(&theirs.ring)
	if n == 0 {
		return nil
	}
	p.counters.stolen.Add(uint64(n))
	t := mine.ring.pop()
	if n > 1 {
		p.markHeld(theirs.priority)
		if !p.patient && wakesForLoot {
			p.scheduler.wakeOne()
		}
	}
	return t
}

// draw returns a pseudo-random number (xorshift64*, S. Vigna, 2016).
func (p *Processor) draw() uint64 {
	x := p.random
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	p.random = x
	return x * 0x2545f4914f6cdd1d
}

// StealOffered takes an offered task of another processor that accept agrees to; nil if there is
// none. accept sees a task that its owner may take and even reuse at the same time, so it may read
// only atomic or relaxed fields. What accept has seen still holds when the task is taken: the
// number in the slot's word ensures it. On p's goroutine only.
func (p *Processor) StealOffered(accept func(t *Task) bool) *Task {
	all := p.scheduler.all()
	start := int(p.draw() % uint64(len(all)))
	for i := range all {
		victim := all[(start+i)%len(all)]
		if victim == p {
			continue
		}
		if t := victim.offer.slot.stealIf(accept); t != nil {
			p.counters.steals.Add(1)
			p.counters.stolen.Add(1)
			p.noteSteal(victim, p.counters.stolen.Load()-1)
			p.tellStolen(victim)
			return t
		}
	}
	return nil
}

// A searcher leaves a task of Normal that is alone in its victim's ring and deque to the victim,
// and takes it only if a later look still finds it. Most often the victim is about to run it: then
// the theft gains nothing, costs both a few cache lines, and makes the victim a searcher, which
// steals the next such task. With chains of short tasks on half of the processors, such thefts took
// more time than the tasks.
//
// Each processor passes over a task at most once while its queue stays as it is. When the victim
// takes another task from that queue, the place of a task behind it is a new one, and the victim is
// at work there. The time between two looks grows with the number of processors, as the cost of a
// look does. Go's scheduler waits 3 µs before it steals the only goroutine of a processor.
//
// Offers are taken at once: their owner may come to them last. So are shares of the inbox, open
// slots, and tasks of other priorities than Normal.

// place says which task is the oldest in the ring and the deque of a level: how many have left both
// at the thieves' end, modulo 256. Equal places with a task alone mean most often the same task; if
// not, a thief takes a task too soon. It is a byte because each processor keeps one for each other.
type place uint8

// lone returns the place of the only task in the ring and the deque; false if there is none, or if
// there are more. Any goroutine.
func (l *level) lone() (place, bool) {
	oldest, values := l.thief.Oldest()
	if values > 1 {
		return 0, false
	}
	head := l.ring.head.Load()
	return place(head) + place(oldest) + 1, int(l.ring.tail.Load()-head)+values == 1
}

// passesOver reports whether a searcher leaves the tasks in a victim's ring and deque to the victim
// for now, and notes what it passes over. Owner only.
func (p *Processor) passesOver(victim *Processor) bool {
	if !p.patient {
		return false
	}
	at, alone := victim.level.lone()
	if !alone {
		return false
	}
	if len(p.seen) <= victim.index {
		p.seen = append(p.seen, make([]place, len(p.scheduler.all())-len(p.seen))...)
	}
	if p.seen[victim.index] == at && takesAtSecondLook {
		return false
	}
	p.seen[victim.index] = at
	p.passed++
	return true
}
