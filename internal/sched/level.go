package sched

import (
	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/queue"
)

// level is what a processor holds of one priority. That of Normal is part of the processor; the others are made when the
// processor first holds something of that priority, as most programs use none of them.
type level struct {
	// immutable
	priority Priority
	deque    *deque.Growable[Task]
	thief    deque.GrowableThief[Task]

	// owner only
	_    pad.Line
	step uint32 // how often the owner has looked for a task here

	// shared
	_     pad.Line
	share atomics.Pointer[queue.Node] // taken from the inbox, not yet in the ring; oldest first
	ring  ring
}

func (l *level) init(pr Priority) {
	l.priority = pr
	l.deque = deque.NewGrowable[Task]()
	l.thief = l.deque.Thief()
	l.ring.init()
}

// pop takes a task that the owner queued, mostly the newest, in turn the oldest of the ring; nil if there is none. Owner only.
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

// hasWork reports whether thieves could find a task here, at some instant of the call. Any goroutine.
func (l *level) hasWork() bool {
	return !l.ring.empty() || !l.thief.Empty() || l.share.Load() != nil
}

// levelOf returns this processor's level of a priority, nil if it never held anything of it. Any goroutine.
func (p *Processor) levelOf(pr Priority) *level {
	if pr == Normal {
		return &p.level
	}
	return p.others[pr].Load()
}

// own returns the level of a priority, made now if need be. Owner only.
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

// hold notes that a level may hold something, which has been put there and is visible. Owner only.
func (p *Processor) markHeld(pr Priority) {
	if pr == Normal {
		return
	}
	p.held |= pr.bit()
	if pr == High && len(p.scheduler.all()) > 1 {
		p.scheduler.board.raise(highElsewhere)
	}
}

// push queues a task in the deque of a level.
func (p *Processor) push(l *level, t *Task) {
	l.deque.Push(t)
	p.markHeld(l.priority)
	p.scheduler.wakeOne()
}

// pushBack queues a task behind all that is in the ring of a level.
func (p *Processor) pushBack(l *level, t *Task) {
	if !l.ring.push(t) {
		p.spill(l, t)
	}
	p.markHeld(l.priority)
	p.scheduler.wakeOne()
}

// spill moves the older half of the full ring to the inbox, for everybody, and queues t.
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

// lookUp takes what may have waited long in a level: from the inbox, now and then from the thieves' end of the deque.
func (p *Processor) takeOverdue(l *level) *Task {
	if l.step%(overdueTurn*oldestTurn) == 0 {
		if t, _ := l.thief.Steal(); t != nil {
			return t
		}
	}
	return p.takeShared(l)
}

// takeShared takes a task from this processor's share of a level's inbox, or from the inbox, and moves a ringful of those
// behind it to the ring.
func (p *Processor) takeShared(l *level) *Task {
	var list *queue.Node
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

// unpack returns the first task of a list that nobody else sees, puts as many as are welcome into the ring, and lays the
// rest open as this processor's share. The share must be empty.
func (p *Processor) unpack(l *level, list *queue.Node) *Task {
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
