package sched

import (
	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// level holds a processor's tasks of one priority. The level of Normal is part of the processor.
// The others are made at their first use, because most programs use none.
type level struct {
	// immutable
	priority Priority
	deque    *deque.Growable[Task]
	thief    deque.GrowableThief[Task]

	// owner only
	_    pad.Line
	step uint32 // number of times that the owner has looked for a task here

	// shared
	_     pad.Line
	share atomics.Pointer[mailbox.Node] // taken from the inbox, not yet in the ring; oldest first
	ring  ring
}

func (l *level) init(pr Priority) {
	l.priority = pr
	l.deque = new(deque.Growable[Task])
	l.thief = l.deque.Thief()
	l.ring.init()
}

// pop removes a task that the owner queued: mostly the newest of the deque, and in every
// ringTurn-th step the oldest of the ring. It returns nil if there is none. Owner only.
func (l *level) pop() *Task {
	if l.step%ringTurn == 0 {
		if t := l.ring.pop(); t != nil {
			return t
		}
	}
	if t, ok := l.deque.Pop(); ok {
		return t
	}
	return l.ring.pop()
}

// hasWork reports whether a thief could find a task here at some instant of the call. Any
// goroutine.
func (l *level) hasWork() bool {
	return !l.ring.empty() || l.deque.Len() > 0 || l.share.Load() != nil
}

// levelOf returns this processor's level of a priority, nil if the processor never held a task of
// it. Any goroutine.
func (p *Processor) levelOf(pr Priority) *level {
	if pr == Normal {
		return &p.level
	}
	return p.others[pr].Load()
}

// own returns the level of a priority and makes it at its first use. Owner only.
func (p *Processor) own(pr Priority) *level {
	if !pr.valid() {
		panic("sched: there is no such priority")
	}
	l := p.levelOf(pr)
	if l == nil {
		l = new(level)
		l.init(pr)
		p.others[pr].Store(l)
	}
	return l
}

// markHeld notes that a level may hold tasks. The caller has made them visible there. Owner only.
func (p *Processor) markHeld(pr Priority) {
	if pr == Normal {
		return
	}
	p.held |= pr.bit()
	if pr == High && len(p.scheduler.all()) > 1 {
		p.scheduler.board.raise(highElsewhere)
	}
}

// push queues a task in the deque of a level. Owner only.
func (p *Processor) push(l *level, t *Task) {
	l.deque.Push(t)
	p.markHeld(l.priority)
	p.scheduler.wakeFor(l.deque.Len())
}

// pushBack queues a task at the back of the ring of a level. Owner only.
func (p *Processor) pushBack(l *level, t *Task) {
	if !l.ring.push(t) {
		p.spill(l, t)
	}
	p.markHeld(l.priority)
	p.scheduler.wakeFor(l.ring.len())
}

// spill moves the older half of the full ring to the inbox, for all processors, and queues t.
// Owner only.
func (p *Processor) spill(l *level, t *Task) {
	for {
		if newest, oldest := l.ring.takeHalf(); newest != nil {
			p.scheduler.add(l.priority, newest, oldest)
		}
		if l.ring.push(t) {
			return
		}
	}
}

// takeOverdue takes a task that may have waited long: from the inbox, now and then from the
// thieves' end of the deque. Owner only.
func (p *Processor) takeOverdue(l *level) *Task {
	if l.step%(overdueTurn*oldestTurn) == 0 {
		if t, _ := l.thief.Steal(); t != nil {
			return t
		}
	}
	return p.takeFromInbox(l)
}

// takeBuried takes the oldest task of the deque of Normal if woken ones lie below others there for
// long, in each ringTurn-th step, other than the ring's. Owner only.
func (p *Processor) takeBuried() *Task {
	if p.step%ringTurn != ringTurn/2 || !p.buried.areStuck(p.step) {
		return nil
	}
	tasks := p.deque.Len()
	t, _ := p.thief.Steal()
	if t != nil || tasks == 0 {
		p.buried.lifts(tasks)
	}
	return t
}

// takeFromInbox takes a task from this processor's share of a level's inbox, or else from the
// inbox. It moves up to ringSize/2 of the tasks behind it to the ring. Owner only.
func (p *Processor) takeFromInbox(l *level) *Task {
	var list *mailbox.Node
	if l.share.Load() != nil {
		list = l.share.Swap(nil)
	}
	if list == nil {
		if l.priority == Normal {
			list = p.scheduler.inbox.TakeAll()
		} else {
			list = p.scheduler.board.collect(l.priority)
		}
	}
	if list == nil {
		return nil
	}
	return p.unpack(l, list)
}

// unpack returns the first task of a private list, puts up to ringSize/2 of the next ones into the
// ring, and publishes the rest as this processor's share, which must be empty. Owner only.
func (p *Processor) unpack(l *level, list *mailbox.Node) *Task {
	first, list := cut(list)
	if list == nil {
		return first
	}
	list = l.ring.pushList(list, ringSize/2)
	if list != nil {
		l.share.Store(list)
	}
	p.markHeld(l.priority)
	p.scheduler.wakeOne()
	return first
}
