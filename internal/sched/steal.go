package sched

import (
	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/record"
)

// search looks for a task in the inbox and at the other processors, and returns nil if it finds
// none. The caller is the only searcher; it is no searcher any more when search returns a task.
func (p *Processor) search() *Task {
	p.counters.searches.Add(1)
	p.note(record.Search, false)
	for round := range searchRounds {
		if round > 0 {
			p.letOthersRun()
		}
		t := p.findAnywhere()
		if t == nil {
			t = p.next() // what came to this processor alone in the meantime
		}
		if t != nil {
			p.note(record.SearchEnd, true)
			if s := p.scheduler; s.census.endSearch() && s.hasWork() {
				s.wakeOne()
			}
			return t
		}
	}
	p.note(record.SearchEnd, false)
	return nil
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

// stealAny tries every other processor once, beginning with a random one.
func (p *Processor) stealAny(pr Priority) *Task {
	all := p.scheduler.all()
	start := int(p.draw() % uint64(len(all)))
	for i := range all {
		if t := p.stealToRun(all[(start+i)%len(all)], pr); t != nil {
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
// that priority on p must be empty.
func (p *Processor) stealFrom(victim *Processor, pr Priority) *Task {
	theirs := victim.levelOf(pr)
	if theirs == nil {
		return nil
	}
	if t := p.stealRing(theirs); t != nil {
		return t
	}
	for {
		t, outcome := theirs.thief.Steal()
		if outcome == deque.Stolen {
			p.counters.stolen.Add(1)
			return t
		}
		if outcome == deque.Empty {
			break
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

// stealRing takes half of a victim's ring and returns the oldest task; nil if the ring was empty.
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
