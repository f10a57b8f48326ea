package sched

// askAround is how many other processors one that is about to run a task below Normal asks for something better: few, in turn, so that
// the answer costs the same however many there are.
const probeCount = 4

// next picks the task to run, from what this processor can reach without searching: nil if there is none. As long as there is
// nothing but Normal, it looks at two words besides, of which one is its own and the other is hardly ever written.
func (p *Processor) next() *Task {
	if p.held|p.scheduler.board.word.Load() != 0 {
		if t := p.beforeNormal(); t != nil {
			return t
		}
	}
	p.step++
	if p.yieldTimer.operations()-p.inboxChecked >= inboxTurn || p.step%inboxTurn == 0 {
		p.checkInbox()
	}
	if t := p.handed; t != nil {
		p.handed = nil
		if p.step%overdueTurn != 0 && !p.yieldTimer.yielded {
			return t
		}
		p.Push(t) // a chain of such tasks must not keep the others waiting
	}
	if p.step%overdueTurn == 0 || p.yieldTimer.yielded {
		p.yieldTimer.yielded = false
		if t := p.takeOverdue(&p.level); t != nil {
			p.inboxStep = p.step
			return t
		}
	}
	if t := p.takeSlot(); t != nil {
		return t
	}
	if t := p.level.pop(); t != nil {
		return t
	}
	if t := p.takeSlotAnyway(); t != nil {
		return t
	}
	if t := p.takeShared(&p.level); t != nil {
		return t
	}
	return p.afterNormal()
}

// lookOut has the inbox come first if it has something, but for what is older and came from there, and not twice in a row: what is here
// has its turns too.
func (p *Processor) checkInbox() {
	switch {
	case p.scheduler.inbox.Empty():
		p.inboxChecked = p.yieldTimer.operations()
	case p.inboxStep+1 != p.step && p.share.Load() == nil:
		p.inboxChecked = p.yieldTimer.operations()
		p.yieldTimer.yielded = true
	}
}

// present has the bits of the priorities of which this processor may find something. Normal is always among them: whether
// there is any costs more to know than to pick.
func (p *Processor) present() uint32 {
	word := p.held&^(carries|uncounted) | p.scheduler.board.word.Load()
	if word&highElsewhere != 0 {
		word |= High.bit()
	}
	return word | Normal.bit()
}

// beforeNormal picks what is carried, or from the level whose turn it is, or else from High; nil if Normal's turn has come, or neither holds anything.
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
	if t != nil && p.handed != nil { // nobody sees that one as long as another runs
		handed := p.handed
		p.handed = nil
		p.Push(handed)
	}
	return t
}

// afterNormal picks from the other levels when Normal is empty: from High if it was Normal's turn, and from Low and Idle unless some other
// processor has something better.
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
			if pr == Idle && p.last != Idle { // ordinary goroutines may go on with what was done before
				p.yieldTimer.yieldSoon()
			}
			return t
		}
	}
	return nil
}

// mayHave reports whether this processor may find something of a priority, which is not Normal, in its own level or in the inbox.
func (p *Processor) mayHave(pr Priority) bool {
	return (p.held|p.scheduler.board.word.Load())&pr.bit() != 0
}

// pick takes a task of a priority, which is not Normal: from this processor's level or the inbox, and if it is High, from wherever it is.
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

func (p *Processor) pickFrom(l *level) *Task {
	if l.step%overdueTurn == 0 {
		if t := p.takeOverdue(l); t != nil {
			return t
		}
	}
	if t := l.pop(); t != nil {
		return t
	}
	return p.takeShared(l)
}

// fetchHigh takes a task of High from another processor. If there is none it takes the bit down that says so.
func (p *Processor) stealHigh() *Task {
	if t := p.stealAny(High); t != nil {
		return t
	}
	b := &p.scheduler.board
	b.lower(highElsewhere)
	t := p.stealAny(High) // what came before the bit was down
	if t != nil {
		b.raise(highElsewhere) // there may be more
	}
	return t
}

// ask takes a task of a higher priority than pr from one of the next few processors; nil if they have none.
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

// took counts a task that is going to be run.
func (p *Processor) took(pr Priority) {
	p.counters.taken[pr].Add(1)
	p.turns.turnTo(pr)
	if pr != Normal {
		p.held |= uncounted
	}
}

// HighWaits reports whether there may be tasks of High to run, here or elsewhere. It costs as little as reading two words: a task that does
// several things in a row asks in between whether to go on. What it is told may be out of date.
func (p *Processor) HighWaits() bool {
	return (p.held|p.scheduler.board.word.Load())&(1<<High|highElsewhere) != 0
}
