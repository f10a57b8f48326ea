package freerun

import "github.com/freerun-go/freerun/internal/mailbox"

// A message to several units is run when all of them have come to it. Each has one processor at most that may dequeue from its mailbox,
// its owner. An owner that comes to a part of a message holds the unit: it does not give the mailbox up, and it goes away. Whoever
// comes last has all units now, and runs the message, as a task of its own; after that, each unit is given up, or held by the next such message, or
// queued if there is more for it. Nobody waits, and nothing spins: a unit that is held is in nobody's hands, as one that waits in a queue.
//
// No deadlock: messages are in all mailboxes in the order in which they were placed (multi_place.go). Of all that are placed and
// not done, take the first: ahead of it there are, in each of its mailboxes, only messages to one unit and messages that are done. So
// each of its units comes to it, and it runs; then the next is the first.

// arrive notes that unit i has come to the message, and reports whether it is the first time. For the owner of the unit's mailbox, who
// must count that in arrived.
func (m *multi) arrive(i int32) bool {
	p := &m.all()[i]
	if p.arrived.Get() {
		return false // a part of a helper who came late
	}
	p.arrived.Set(true)
	p.unit.operations.Add(1)
	if x := p.unit.ext.Load(); x != nil && x.limit != nil {
		x.limit.stall()
	}
	return true
}

// takePart is what the owner of a unit does with a part.
func takePart(s *worker, _ *unit, l *message) taken {
	p := partOf(&l.Node)
	m := p.of
	if !m.arrive(p.index) {
		return onward
	}
	if m.isComplete(1) {
		whole := m.whole()
		s.hand(whole.unit.rt, &whole.Task) // a drain, which returns at once
	}
	return gone
}

// isComplete counts units that have come to the message, and reports whether it has all of them now.
func (m *multi) isComplete(arrived int32) bool {
	if m.arrived.Add(arrived) < m.n {
		return false
	}
	m.placed.Store(1) // as all arrived, all were pushed: nobody need help any more once a mailbox is given up
	return true
}

// ready queues the message, which has all its units.
func (m *multi) ready(s *worker) {
	whole := m.whole()
	s.queueSoon(whole.unit.rt, &whole.Task)
}

// stopped returns why the message cannot be run though it has all its units: one of them was stopped. It returns a plain nil otherwise.
func (m *multi) stopped() error {
	parts := m.all()
	for i := range parts {
		if x := parts[i].unit.ext.Load(); x != nil && x.policy != nil && x.policy.stopped != nil {
			return x.policy.stopped
		}
	}
	return nil
}

// faulted applies the policy of each unit if err says that the operation, which had them, panicked.
func (m *multi) faulted(err error) {
	crash, panicked := err.(*PanicError)
	if !panicked {
		return
	}
	parts := m.all()
	for i := range parts {
		parts[i].unit.faulted(crash)
	}
}

// release lets go of all units. With again, the message is retired then, as their mailboxes have forgotten it; but not if a unit has extras: what
// comes there may be seen by more than those in sections.
func (m *multi) release(s *worker, again bool) {
	parts := m.all()
	for i := range parts {
		u := parts[i].unit
		if x := u.ext.Load(); x != nil {
			u.releaseWithExtras(s, x)
			again = false
		} else if !u.mailbox.GiveUp() {
			next := u.mailbox.Peek(mostTurned)
			again = again && u.mailbox.Reusable(&parts[i].Node)
			u.goOnWith(s, next)
		}
	}
	if again {
		s.retire(m)
	}
}

func (u *unit) releaseWithExtras(s *worker, x *unitExt) {
	if x.limit != nil {
		x.limit.stalled.Store(false)
	}
	if u.priorityMailboxes() != nil || !u.mailbox.GiveUp() {
		u.goOn(s)
	}
}

// goOnWith is goOn for a unit that has had no extras, with next in its mailbox, if that is known. If it is a part, the unit has come to its message:
// it need not be queued for that.
func (u *unit) goOnWith(s *worker, next *mailbox.Node) {
	if next == nil || messageOf(next).Kind != &multiPartVtable.Kind || u.ext.Load() != nil {
		u.goOn(s)
		return
	}
	p := partOf(u.mailbox.DequeueInOrder())
	m := p.of
	switch {
	case !m.arrive(p.index):
		u.goOn(s)
	case m.isComplete(1):
		m.ready(s)
	}
}
