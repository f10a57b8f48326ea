package sched

// probeCount is how many other processors a processor probes before it runs a task below Normal.
// It is small, so that the cost does not grow with the number of processors; successive probes
// visit all of them in turn.
const probeCount = 4

// next picks the task to run from all that this processor reaches without searching; nil if there
// is none. With nothing but Normal around, the other priorities cost two loads: one word of its
// own and one that is hardly ever written.
func (p *Processor) next() *Task {
	if p.held|p.scheduler.board.word.Load() != 0 {
		if t := p.beforeNormal(); t != nil {
			return t
		}
	}
	p.step++
	if p.yieldTimer.operations()-p.inboxChecked >= inboxTurn || p.step%inboxTurn == 0 || p.yieldTimer.lookUp {
		p.checkInbox()
	}
	if t := p.handed; t != nil {
		p.handed = nil
		if p.step%overdueTurn != 0 && !p.yieldTimer.inboxFirst {
			return t
		}
		p.Push(t) // a chain of handed tasks must not keep the others waiting
	}
	if p.step%overdueTurn == 0 || p.yieldTimer.inboxFirst {
		p.yieldTimer.inboxFirst = false
		if t := p.takeOverdue(&p.level); t != nil {
			p.inboxStep = p.step
			return t
		}
	}
	if t := p.takeSlot(); t != nil {
		return t
	}
	if p.buried.some {
		if t := p.takeBuried(); t != nil {
			return t
		}
	}
	if t := p.level.pop(); t != nil {
		return t
	}
	if t := p.takeSlotAnyway(); t != nil {
		return t
	}
	if t := p.takeFromInbox(&p.level); t != nil {
		return t
	}
	return p.afterNormal()
}

// checkInbox lets the inbox come first in this step if it holds a task. It does not do so twice in
// a row, so that local tasks get their turns, nor while the older share of the inbox is not used
// up. In these cases it does not look at the inbox, whose line every sender writes.
func (p *Processor) checkInbox() {
	p.yieldTimer.lookUp = false
	switch {
	case p.inboxStep+1 == p.step || p.share.Load() != nil:
	case p.scheduler.inbox.Empty():
		p.inboxChecked = p.yieldTimer.operations()
	default:
		p.inboxChecked = p.yieldTimer.operations()
		p.yieldTimer.inboxFirst = true
	}
}

// present returns the bits of the priorities of which this processor may find a task. Normal is
// always among them: to know costs more than to pick.
func (p *Processor) present() uint32 {
	word := p.held&^(carries|uncounted) | p.scheduler.board.word.Load()
	if word&highElsewhere != 0 {
		word |= High.bit()
	}
	return word | Normal.bit()
}

// beforeNormal picks the carried task, or a task of the level whose turn it is, or else one of
// High. It returns nil if it is Normal's turn, or if these levels hold nothing.
func (p *Processor) beforeNormal() *Task {
	if t := p.takeCarried(); t != nil {
		return t
	}
	p.held &^= uncounted
	p.countRan()
	p.last = p.turns.running
	pr := p.turns.Next(p.present())
	if pr == Normal {
		return nil
	}
	t := p.pick(pr)
	if t == nil && pr != High {
		p.turns.forfeit(pr)
		t = p.pick(High)
	}
	if t == nil {
		p.turns.turnTo(Normal)
	}
	if t != nil && p.handed != nil { // no thief sees the handed task while another one runs
		handed := p.handed
		p.handed = nil
		p.Push(handed)
	}
	return t
}

// afterNormal picks from the other levels when Normal is empty: from High, if it was Normal's
// turn, then from Low and Idle, unless a probed processor has something better.
func (p *Processor) afterNormal() *Task {
	if p.held|p.scheduler.board.word.Load() == 0 {
		return nil
	}
	p.turns.forfeit(Normal)
	if t := p.pick(High); t != nil {
		return t
	}
	for _, pr := range [...]Priority{Low, Idle} {
		if !p.mayHave(pr) {
			continue
		}
		if t := p.probe(pr); t != nil {
			return t
		}
		if t := p.pick(pr); t != nil {
			if pr == Idle && p.last != Idle { // goroutines may continue the work of earlier tasks
				p.yieldTimer.yieldSoon()
			}
			return t
		}
	}
	return nil
}

// mayHave reports whether this processor may find a task of a priority other than Normal in its
// own level or in the inbox.
func (p *Processor) mayHave(pr Priority) bool {
	return (p.held|p.scheduler.board.word.Load())&pr.bit() != 0
}

// pick takes a task of a priority other than Normal from this processor's level or from the inbox.
// A task of High it takes from any other processor, too.
func (p *Processor) pick(pr Priority) *Task {
	if p.mayHave(pr) {
		l := p.own(pr)
		l.step++
		if t := p.pickFrom(l); t != nil {
			p.took(pr)
			return t
		}
		p.held &^= pr.bit()
	}
	if pr == High && p.scheduler.board.word.Load()&highElsewhere != 0 {
		return p.stealHigh()
	}
	return nil
}

// pickFrom takes a task from a level, or from its inbox. Owner only.
func (p *Processor) pickFrom(l *level) *Task {
	if l.step%overdueTurn == 0 {
		if t := p.takeOverdue(l); t != nil {
			return t
		}
	}
	if t := l.pop(); t != nil {
		return t
	}
	return p.takeFromInbox(l)
}

// stealHigh takes a task of High from another processor. If none has one, it clears highElsewhere.
func (p *Processor) stealHigh() *Task {
	if t := p.stealAny(High); t != nil {
		return t
	}
	b := &p.scheduler.board
	b.lower(highElsewhere)
	t := p.stealAny(High) // a task that came before the bit was down
	if t != nil {
		b.raise(highElsewhere) // there may be more
	}
	return t
}

// probe takes a task of a higher priority than pr from one of the next probeCount processors; nil
// if they have none.
func (p *Processor) probe(pr Priority) *Task {
	all := p.scheduler.all()
	for range min(probeCount, len(all)) {
		p.probed = (p.probed + 1) % len(all)
		for _, better := range byRank[:rank[pr]] {
			if t := p.stealToRun(all[p.probed], better); t != nil {
				return t
			}
		}
	}
	return nil
}

// took counts a task of pr that is about to run.
func (p *Processor) took(pr Priority) {
	p.counters.taken[pr].Add(1)
	p.turns.turnTo(pr)
	if pr != Normal {
		p.held |= uncounted
	}
}

// HighWaits reports whether tasks of High may wait, here or elsewhere. It costs two loads: a task
// that does several things in a row asks in between whether to continue. The answer may be out of
// date.
func (p *Processor) HighWaits() bool {
	return (p.held|p.scheduler.board.word.Load())&(1<<High|highElsewhere) != 0
}
