package freerun

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own. Completing an operation that one finds unfinished is M. Herlihy's helping
//             (Wait-free synchronization, 1991). Going through shared words in one order for all
//             is T. Harris, K. Fraser and I. Pratt's (A practical multi-word compare-and-swap,
//             2002).
// Sketch:     place: for each unit of m, in the order of identity: push a part, marked.
//                    Then placed = 1.
//             push:  h = newest
//                    h is a part of m: done
//                    h is a part of another message, not placed: help that message, begin again
//                    m is placed: done; there was a part for this unit
//                    CAS(newest: h → a part of m); begin again if it fails
//             plain: the sender of a message to one unit meets a part that is not placed:
//                    help the part's message, then push
// Invariants: I1 Of a message that is not placed, the parts that are in mailboxes are the newest
//             there, because no sender pushes on them.
//             I2 Those parts belong to its first units in the order of identity.
//             I3 Once the message is placed, each of its units has, or had, a part of it.
//             I4 The unit's owner ignores parts that come later than the first, from slow helpers.
// Progress:   lock-free. A CAS fails because another one took effect. A helper of m that meets a
//             message to help meets it at a unit behind all units at which m has a part. So helping
//             goes from unit to unit in the order of identity, and comes to an end.
// Linearize:  A message is in all mailboxes at the CAS that pushes the first part for its last
//             unit (L1). At that instant all its parts are newest (I1): in every mailbox, earlier
//             messages are ahead of it and later ones will be behind it.
// Publish:    The message is written before its first push, and read by goroutines that have
//             found a part.
// ABA/memory: push loads h first and placed afterwards. If m was not placed then, h was there
//             before any part of m was (I1). So a CAS from h is either in time, or late: h came
//             back, and m has long been placed (I4). That a part is not used again while a
//             goroutine compares with it is shown in multi_reuse.go.
// Cost:       one CAS for each unit, one release store, and an exchange if a unit was not idle.
//             Helpers allocate a part for each push.
// Checked by: TestExploreMulti…, TestMulti…; the argument at length:
//             docs/algorithms/several-units.md

// multi holds the fields that a message to several units has beside those of every message.
type multi struct {
	offset  uint32 // of this struct in the message
	n       int32  // the number of units
	arrived atomics.Int32
	placed  atomics.Release[uint32]
	many    *multiPart   // the first part; nil if the parts lie behind this struct
	helped  atomics.Bool // set in a section
	near    atomics.Bool // one of the units is of a kind, or near one: kind_cycle.go
}

// all returns the parts, one for each unit, in the order of the arguments.
func (m *multi) all() []multiPart {
	first := m.many
	if m.n == 0 {
		return nil
	}
	if first == nil {
		first = (*multiPart)(m.behind())
	}
	return unsafe.Slice(first, m.n)
}

// behind returns where the parts lie if the message is to two units: behind this struct.
func (m *multi) behind() unsafe.Pointer { return unsafe.Add(unsafe.Pointer(m), unsafe.Sizeof(*m)) }

// whole returns the message that contains m.
func (m *multi) whole() *message {
	return (*message)(unsafe.Add(unsafe.Pointer(m), -int(m.offset)))
}

// multiPart stands for its message in the mailbox of one unit.
type multiPart struct {
	message
	of      *multi
	index   int32               // of its unit among the message's units
	nth     int32               // in all()[i]: the index of the unit that is i-th by identity
	arrived atomics.Plain[bool] // in all()[i]: the unit has come to the message; its owner's
}

func partOf(n *mailbox.Node) *multiPart { return (*multiPart)(unsafe.Pointer(n)) }

// arrange completes the parts, which have their units already. It returns an error if the message
// cannot be sent from w.
func (m *multi) arrange(w *worker) error {
	parts := m.all()
	for i := range parts {
		p := &parts[i]
		if p.unit.rt != w.rt {
			return &foreignError{unit: p.unit.called()}
		}
		p.Kind, p.of, p.index, p.nth = &multiPartVtable.Kind, m, int32(i), int32(i)
	}
	if len(parts) != 2 {
		return inOrder(parts, w.env)
	}
	switch a, b := parts[0].identity(), parts[1].identity(); {
	case a == b:
		return ErrSameUnit
	case a > b:
		parts[0].nth, parts[1].nth = w.env.orderOf(1, 0), w.env.orderOf(0, 1)
	}
	return nil
}

// identity is the key by which units are ordered, the address. Go does not move objects on the
// heap, and NewUnit returns the unit's address, so a unit is on the heap.
func (p *multiPart) identity() uintptr { return uintptr(unsafe.Pointer(p.unit)) }

// inOrder finds the order of the units, and returns an error if two are the same.
func inOrder(parts []multiPart, e env) error {
	order := make([]int32, len(parts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(parts[i].identity(), parts[j].identity()) })
	for i, nth := range order {
		parts[i].nth = e.orderOf(nth, int32(i))
		if i > 0 && parts[nth].unit == parts[order[i-1]].unit {
			return ErrSameUnit
		}
	}
	return nil
}

// place puts the message into the mailboxes of all its units at one instant. If that gives it all
// units, it queues the message; otherwise the owner of the unit that comes last does.
func (m *multi) place(w *worker) {
	v := section{worker: w}
	m.complete(&v, true)
}

// help completes a placing that another goroutine has begun.
func (m *multi) help(v *section) {
	m.helped.Store(true)
	m.complete(v, false)
}

func (m *multi) complete(v *section, own bool) {
	parts, n := m.all(), m.n
	var few [8]int32
	arrived := few[:0] // the units that have come to the message by pushes of this call
	for i := range parts {
		if p := &parts[parts[i].nth]; m.push(v, p, own) {
			arrived = append(arrived, p.index)
		}
	}
	m.placed.Store(1)
	if own {
		v.end() // if no unit has arrived, the message belongs to others now
	}
	switch came := int32(len(arrived)); {
	case came == n: // perhaps none of none
		m.ready(v.worker)
	case came > 0:
		m.hold(arrived...)
		if m.arrived.Add(came) == n {
			m.ready(v.worker)
		}
	}
}

// push puts a part into the mailbox of p's unit, unless a part of m is, or was, there. The sender
// pushes p itself (own), a helper a part of its own. push reports whether the mailbox was idle
// and the unit has come to the message by this push.
func (m *multi) push(v *section, p *multiPart, own bool) bool {
	w, box := v.worker, &p.unit.mailbox
	for {
		h := box.Newest()
		if h != nil && v.begin(p.unit.rt) {
			continue
		}
		if n := h.Marked(); n != nil {
			switch other := partOf(n).of; {
			case other == m:
				if helpersLook { // whoever has pushed it may not have looked yet
					m.meetNear(p.unit)
				}
				return false
			case other.placed.Load() == 0:
				other.help(v)
				continue
			}
		}
		if m.placed.Load() != 0 { // must be loaded after Newest
			return false
		}
		if !own {
			mine := &multiPart{of: m, index: p.index}
			mine.Kind, mine.unit = p.Kind, p.unit
			p, own = mine, true
		}
		if !box.EnqueueOn(h, &p.Node, true) { // L1
			continue
		}
		if h != nil {
			m.meetNear(p.unit)
			return false
		}
		// The caller owns this mailbox now. That does not yet give it the unit.
		if p.unit.priorityMailboxes() != nil || p.unit.lacksState() {
			p.unit.queue(w)
			return false
		}
		box.HandedOut(&p.Node)
		switch {
		case !p.unit.mayArrive(p): // the last reader takes care of the part
			return false
		case m.arrive(p.index):
			return true
		}
		p.unit.queue(w) // this push is late: the unit came to the message before, and left it
		return false
	}
}

// mayArrive reports whether the unit has no readers. If it has, the last of them takes care of
// the part. The caller owns the unit's mailbox.
func (u *unit) mayArrive(p *multiPart) bool {
	x := u.ext.Load()
	return x == nil || x.alone(&p.message)
}

// enqueueBehind puts a message into a mailbox whose newest message is, or was, a part. It reports
// whether the mailbox was idle.
func (u *unit) enqueueBehind(w *worker, msg *message) (wasIdle bool) {
	v := section{worker: w}
	v.begin(u.rt)
	defer v.end()
	for {
		h := u.mailbox.Newest()
		if n := h.Marked(); n != nil {
			if m := partOf(n).of; m.placed.Load() == 0 {
				m.help(&v)
				continue
			}
		}
		if u.mailbox.EnqueueOn(h, &msg.Node, false) {
			return h == nil
		}
	}
}
