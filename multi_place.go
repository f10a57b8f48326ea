package freerun

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own; to complete what one finds unfinished is M. Herlihy's helping (Wait-free synchronization, 1991), and to go through
//             what is shared in one order for all T. Harris, K. Fraser and I. Pratt's (A practical multi-word compare-and-swap, 2002)
// Sketch:     place: for each unit, in the order of identity: push a part, marked; then placed = true
//             push:  h = newest; if h is a part of m: there. If it is one of another message that is not placed: help that one, again.
//                    If m is placed: there, and gone. CAS(newest: h → a part of m); again if it fails.
//             a plain message that meets a part of a message that is not placed does the same: it helps, and is pushed afterwards
// Invariants: I1 of a message that is not placed, the parts that are in mailboxes are the newest there, as nobody pushes on them.
//             I2 they are those of its first units in the order of identity. I3 once it is placed, each of its units has, or had, one.
//             I4 parts that come into a mailbox later than the first, from helpers who slept, are ignored by the unit's owner.
// Progress:   lock-free. A CAS fails because another took effect. Who helps m meets, if anything, a message at a unit behind all those that m
//             has, so helping goes from unit to unit in the order of identity, and comes to an end.
// Linearize:  a message is in all mailboxes at the CAS that pushes the first part for its last unit (L1): at that instant all its
//             parts are newest (I1), so what was sent to any of its units is before it, and what comes will be behind it, everywhere
// Publish:    the message is written before the first push and read by who finds the part
// ABA/memory: push looks at placed after it has loaded h. If m was not placed then, h was there before any part of m was
//             (I1), so a CAS from h is in time, or late: h came back, and m is long placed (I4). That a part is not used again
//             while somebody compares with it is in multi_reuse.go.
// Cost:       one CAS for each unit, one release store, and an exchange if a unit was not idle; helpers allocate a part for each push
// Checked by: TestExploreSeveral…, TestSeveral…; the argument at length: docs/algorithms/several-units.md

// several is what a message to several units has beside what all messages have.
type multi struct {
	offset  uint32 // of this in the message
	n       int32  // units
	arrived atomics.Int32
	placed  atomics.Release[uint32]
	many    *multiPart   // the first part; nil if the parts lie behind this
	helped  atomics.Bool // set in a section
}

// all returns the parts, one for each unit, in the order of the arguments.
func (m *multi) all() []multiPart {
	first := m.many
	if m.n == 0 {
		return nil
	}
	if first == nil {
		first = (*multiPart)(unsafe.Add(unsafe.Pointer(m), unsafe.Sizeof(multi{})))
	}
	return unsafe.Slice(first, m.n)
}

// whole returns the message that this is in.
func (m *multi) whole() *message {
	return (*message)(unsafe.Add(unsafe.Pointer(m), -int(m.offset)))
}

// part stands for its message in the mailbox of one unit.
type multiPart struct {
	message
	of      *multi
	index   int32               // which of the message's units
	nth     int32               // in all()[i]: the index of the unit that is i-th by identity
	arrived atomics.Plain[bool] // in all()[i]: the unit has come to the message; its owner's
}

// partKind's letters are taken by the owner of the mailbox, and never run.
var multiPartVtable vtable

func init() { multiPartVtable = vtable{name: "part", take: takePart} } // not above: takePart leads back here

func partOf(n *mailbox.Node) *multiPart { return (*multiPart)(unsafe.Pointer(n)) }

// arrange completes the parts, of which each has its unit, or returns why the message cannot be sent from s.
func (m *multi) arrange(s *worker) error {
	parts := m.all()
	for i := range parts {
		p := &parts[i]
		if p.unit.rt != s.rt {
			return &foreignError{unit: p.unit.called()}
		}
		p.Kind, p.of, p.index, p.nth = &multiPartVtable.Kind, m, int32(i), int32(i)
	}
	if len(parts) != 2 {
		return inOrder(parts, s.rt.deterministic())
	}
	switch a, b := parts[0].identity(), parts[1].identity(); {
	case a == b:
		return ErrSameUnit
	case a > b && !s.rt.deterministic():
		parts[0].nth, parts[1].nth = 1, 0
	}
	return nil
}

// identity is what units are ordered by. Go does not move what is on the heap, and a unit is: NewUnit returns its address.
func (p *multiPart) identity() uintptr { return uintptr(unsafe.Pointer(p.unit)) }

// inOrder finds the order of the units by identity, or that two are the same. With given they stay in the order in which they were given: in a
// deterministic runtime a placing is not interrupted, so any order will do, and that of addresses would not be the same each time.
func inOrder(parts []multiPart, given bool) error {
	order := make([]int32, len(parts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(parts[i].identity(), parts[j].identity()) })
	for i, nth := range order {
		if !given {
			parts[i].nth = nth
		}
		if i > 0 && parts[nth].unit == parts[order[i-1]].unit {
			return ErrSameUnit
		}
	}
	return nil
}

// place puts the message into the mailboxes of all its units, at one instant, and runs it, or leaves that to the unit that comes to it last.
func (m *multi) place(s *worker) {
	v := section{seat: s}
	m.complete(&v, true)
}

// help completes a placing that somebody else has begun.
func (m *multi) help(v *section) {
	m.helped.Store(true)
	m.complete(v, false)
}

func (m *multi) complete(v *section, own bool) {
	parts, n, arrived := m.all(), m.n, int32(0)
	for i := range parts {
		if m.push(v, &parts[parts[i].nth], own) {
			arrived++
		}
	}
	m.placed.Store(1)
	if own {
		v.end() // if none has arrived, others have the message now
	}
	if arrived == n || arrived > 0 && m.arrived.Add(arrived) == n {
		m.ready(v.seat)
	}
}

// push puts a part into the mailbox of p's unit, p itself if it is the caller's own, unless one is, or was, there. It reports whether the mailbox
// was idle, so that the unit has come to the message by this.
func (m *multi) push(v *section, p *multiPart, own bool) bool {
	s, box := v.seat, &p.unit.mailbox
	for {
		h := box.Newest()
		if h != nil && v.begin(p.unit.rt) {
			continue
		}
		if n := h.Marked(); n != nil {
			switch other := partOf(n).of; {
			case other == m:
				return false
			case other.placed.Load() == 0:
				other.help(v)
				continue
			}
		}
		if m.placed.Load() != 0 { // after Newest
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
			return false
		}
		if p.unit.priorityMailboxes() != nil { // who owns this mailbox is not yet who runs the unit
			p.unit.queue(s)
			return false
		}
		box.HandedOut(&p.Node)
		switch {
		case !p.unit.mayArrive(p): // the last reader sees to it
			return false
		case m.arrive(p.index):
			return true
		}
		p.unit.queue(s) // this is late: the unit has come, and gone, before
		return false
	}
}

// mayArrive reports whether the unit, whose mailbox is the caller's, has no readers; if it has, the last of them sees to the part.
func (u *unit) mayArrive(p *multiPart) bool {
	x := u.ext.Load()
	return x == nil || x.alone(&p.message)
}

// deliverBehind is deliver for a mailbox whose newest letter is, or was, a part. It reports whether the mailbox was idle.
func (u *unit) deliverBehind(s *worker, l *message) (wasIdle bool) {
	v := section{seat: s}
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
		if u.mailbox.EnqueueOn(h, &l.Node, false) {
			return h == nil
		}
	}
}
