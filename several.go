package freerun

// A message to several units is run when all of them have come to it. Each has one processor at most that may dequeue from its mailbox,
// its owner. An owner that comes to a part of a message holds the unit: it does not give the mailbox up, and it goes away. Whoever
// comes last has all units now, and runs the message, as a task of its own; after that, each unit is given up, or queued if there is more
// for it. Nobody waits, and nothing spins: a unit that is held is in nobody's hands, as one that waits in a queue.
//
// No deadlock: messages are in all mailboxes in the order in which they were placed (placing.go). Of all that are placed and
// not done, take the first: ahead of it there are, in each of its mailboxes, only messages to one unit and messages that are done. So
// each of its units comes to it, and it runs; then the next is the first.

// arrive notes that unit i has come to the message, and reports whether it is the first time. For the owner of the unit's mailbox, who
// must count that in arrived.
func (m *several) arrive(i int32) bool {
	p := &m.all()[i]
	if p.arrived.Get() {
		return false // a part of a helper who came late
	}
	p.arrived.Set(true)
	p.unit.operations.Add(1)
	if x := p.unit.extras.Load(); x != nil && x.bound != nil {
		x.bound.stall()
	}
	return true
}

// takePart is what the owner of a unit does with a part.
func takePart(s *seat, _ *unit, l *letter) taken {
	p := partOf(&l.Node)
	m := p.of
	if !m.arrive(p.index) {
		return onward
	}
	if m.arrived.Add(1) < m.n {
		return gone
	}
	m.placed.Store(1) // as all arrived, all were pushed: nobody need help any more once a mailbox is given up
	whole := m.whole()
	s.hand(whole.unit.rt, &whole.Task) // a drain, which returns at once
	return gone
}

// ready queues the message, which has all its units.
func (m *several) ready(s *seat) {
	whole := m.whole()
	if rt := whole.unit.rt; s.at(rt) {
		s.processor.PushSoon(&whole.Task)
	} else {
		s.inject(rt, Normal, &whole.Task)
	}
}

// stopped returns why the message cannot be run though it has all its units: one of them was stopped. It returns a plain nil otherwise.
func (m *several) stopped() error {
	parts := m.all()
	for i := range parts {
		if x := parts[i].unit.extras.Load(); x != nil && x.policy != nil && x.policy.stopped != nil {
			return x.policy.stopped
		}
	}
	return nil
}

// faulted applies the policy of each unit if err says that the operation, which had them, panicked.
func (m *several) faulted(err error) {
	crash, panicked := err.(*PanicError)
	if !panicked {
		return
	}
	parts := m.all()
	for i := range parts {
		parts[i].unit.faulted(crash)
	}
}

// release lets go of all units. With again, the message is retired when their mailboxes have forgotten it. A unit with extras never does: what comes
// there may be seen by more than those in sections.
func (m *several) release(s *seat, again bool) {
	parts, n, forgotten, late := m.all(), m.n, int32(0), int32(0)
	for i := range parts {
		p := &parts[i]
		u, x := p.unit, p.unit.extras.Load()
		if x != nil && x.bound != nil {
			x.bound.stalled.Store(false)
		}
		switch {
		case u.lanes() == nil && u.mailbox.GiveUp():
			if x == nil {
				forgotten++
			}
			continue
		case !again || x != nil:
		case u.mailbox.Reusable(&p.Node):
			forgotten++
		default:
			if late++; late == 1 {
				m.arrived.Store(n) // who found all units idle has not counted
			}
			u.late = &p.letter
		}
		u.goOn(s)
	}
	switch {
	case !again:
	case forgotten == n:
		s.retire(m)
	case forgotten > 0 && late > 0: // otherwise it is others' by now, or the collector's
		m.forget(s, forgotten)
	}
}
