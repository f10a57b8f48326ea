package sched

import (
	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/queue"
)

// search looks for a task in the inbox and at the other processors. The caller is the only searcher, and is none any more when
// search returns a task.
func (p *Processor) search() *Task {
	for round := range searchRounds {
		if round > 0 {
			p.letOthersRun()
		}
		t := p.takeShared()
		if t == nil {
			t = p.raid()
		}
		if t == nil {
			t = p.next() // what came to this processor alone in the meantime
		}
		if t != nil {
			if s := p.scheduler; s.census.endSearch() && s.hasWork() {
				s.wakeOne()
			}
			return t
		}
	}
	return nil
}

// raid tries every other processor once, from a random one on.
func (p *Processor) raid() *Task {
	all := p.scheduler.processors
	start := int(p.draw() % uint64(len(all)))
	for i := range all {
		victim := all[(start+i)%len(all)]
		if victim == p {
			continue
		}
		if t := p.stealFrom(victim); t != nil {
			p.counters.steals.Add(1)
			return t
		}
	}
	return nil
}

// stealFrom takes half of the victim's ring, or its oldest task from the deque, or what it offers, or its share of the inbox, or the task in
// its slot if the running one keeps it waiting too long. It returns the first of what it took; the rest is queued here.
func (p *Processor) stealFrom(victim *Processor) *Task {
	if n := p.ring.stealHalf(&victim.ring); n > 0 {
		p.counters.stolen.Add(uint64(n))
		return p.ring.pop()
	}
	for {
		t, outcome := victim.thief.Steal()
		if outcome == deque.Stolen {
			p.counters.stolen.Add(1)
			return t
		}
		if outcome == deque.Empty {
			break
		}
	}
	if t := victim.offer.slot.steal(); t != nil {
		p.counters.stolen.Add(1)
		return t
	}
	if victim.share.Load() != nil {
		if list := victim.share.Swap(nil); list != nil {
			return p.adopt(list)
		}
	}
	if victim.slotOpen.Load() {
		if t := victim.slot.steal(); t != nil {
			t.stolen()
			p.counters.stolen.Add(1)
			return t
		}
	}
	return nil
}

// adopt makes the victim's share of the inbox this processor's own.
func (p *Processor) adopt(list *queue.Node) *Task {
	p.counters.stolen.Add(1)
	return p.unpack(list)
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
