package freerun

import "github.com/freerun-go/freerun/internal/mailbox"

// A message to several units is run when all of them have come to it. Each unit has an owner: the
// one processor that may dequeue from its mailbox. An owner that comes to a part of a message holds
// the unit: it does not give the mailbox up, and turns to other work. The owner that comes last has
// all units, and runs the message as a task of its own. After that, each unit is given up, or held
// by the next message to several units, or queued if there is more for it. Nothing waits and
// nothing spins: a unit that is held occupies no processor, as a unit in a queue does not.
//
// No deadlock:
// Messages are in all mailboxes in the order in which they were placed (multi_place.go).
// Take the first message of all that are placed and not done.
// Ahead of it in its mailboxes there are only messages to one unit, and messages that are done.
// So each of its units comes to it, and it runs. Then the next message is the first.

// arrive notes that unit i has come to the message, and reports whether this is the first time.
// Only the owner of the unit's mailbox calls it. The owner must then count the arrival in
// arrived.
func (m *multi) arrive(i int32) bool {
	p := &m.all()[i]
	if p.arrived.Get() {
		return false // a part of a helper that came late
	}
	p.arrived.Set(true)
	p.unit.operations.Add(1)
	if x := p.unit.ext.Load(); x != nil {
		if x.limit != nil {
			x.limit.stall()
		}
		if of := x.keyed(); of != nil { // a unit that was idle comes here without take
			of.use()
		}
	}
	return true
}

// comeTo is arrive for an owner that has dequeued a part of unit i.
func (m *multi) comeTo(w *worker, i int32) bool {
	m.settleNearness(w)
	if !m.arrive(i) {
		return false
	}
	m.hold(i)
	return true
}

// takePart is what the owner of a unit does with a part, in place of running it.
func takePart(w *worker, _ *unit, msg *message) taken {
	p := partOf(&msg.Node)
	m := p.of
	if !m.comeTo(w, p.index) {
		return onward
	}
	if m.isComplete(1) {
		whole := m.whole()
		w.hand(whole.unit.rt, &whole.Task) // the caller drains the unit, and returns at once
	}
	return gone
}

// isComplete counts units that have come to the message, and reports whether the message now has
// all of them.
func (m *multi) isComplete(arrived int32) bool {
	if m.arrived.Add(arrived) < m.n {
		return false
	}
	// All units have come to a part, so all parts were pushed. This is stored before any of the
	// mailboxes is given up: no sender needs to help after that.
	m.placed.Store(1)
	return true
}

// ready queues the message, which has all its units.
func (m *multi) ready(w *worker) {
	whole := m.whole()
	w.queueSoon(whole.unit.rt, &whole.Task)
}

// stopped returns the error of a unit that was stopped: then the message cannot be run, though it
// has all its units. It returns a plain nil otherwise.
func (m *multi) stopped() error {
	parts := m.all()
	for i := range parts {
		x := parts[i].unit.ext.Load()
		switch {
		case x == nil:
		case x.isStopped():
			return x.stopped()
		case x.keyed() != nil:
			if err := x.keyed().lacking(); err != nil {
				return err
			}
		}
	}
	return nil
}

// faulted applies the policy of each unit after an operation on all ended with err.
func (m *multi) faulted(err *PanicError) {
	parts := m.all()
	for i := range parts {
		parts[i].unit.faulted(err)
	}
}

// release lets go of all units. With again, it then retires the message for reuse, unless a mailbox
// still has a part of it as its newest node, or a unit has a unitExt: messages to such a unit may
// be seen outside of sections.
func (m *multi) release(w *worker, again bool) {
	parts := m.all()
	for i := range parts {
		u := parts[i].unit
		if x := u.ext.Load(); x != nil {
			u.releaseWithExt(w, x)
			again = false
		} else if !u.mailbox.GiveUp() {
			next := u.mailbox.Peek(mostTurned)
			again = again && u.mailbox.Reusable(&parts[i].Node)
			u.goOnWith(w, next)
		}
	}
	if again {
		w.retire(m)
	}
}

func (u *unit) releaseWithExt(w *worker, x *unitExt) {
	if s := x.several.Load(); s != nil && s.holder.Load() != nil {
		s.holder.Store(nil)
	}
	if x.limit != nil {
		x.limit.stalled.Store(false)
	}
	if u.priorityMailboxes() != nil || !u.mailbox.GiveUp() {
		u.goOn(w)
	}
}

// goOnWith is goOn for a unit that has had no unitExt. next is the node that is dequeued next,
// nil if that is unknown. If it is a part, the unit comes to its message at once, without being
// queued.
func (u *unit) goOnWith(w *worker, next *mailbox.Node) {
	if next == nil || messageOf(next).Kind != &multiPartVtable.Kind || u.ext.Load() != nil {
		u.goOn(w)
		return
	}
	p := partOf(u.mailbox.DequeueInOrder())
	m := p.of
	switch {
	case !m.comeTo(w, p.index):
		u.goOn(w)
	case m.isComplete(1):
		m.ready(w)
	}
}
