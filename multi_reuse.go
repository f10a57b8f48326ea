package freerun

// Messages to two and to three units without a future are used again, as those to one unit are (reuse.go). But what is marked in a mailbox is
// looked at by whoever is about to enqueue there, and who does so late must not come upon the message in its next life, not placed yet,
// and take it for the one that was. So it waits until all those are gone who may have found it.

// Source:     our own; to let those pass who may still be looking is P. McKenney and J. Slingwine's grace period (Read-copy update, 1998)
// Sketch:     section: inSection = 1; load the newest node, look at it, CAS against it; inSection = 0
//             run:     its mailboxes forget its parts, one after another; then it is put aside
//             again:   when there are many, or nothing to do: if all inSection are 0, one after another, those that were not helped are used again
// Invariants: I1 who follows a mark, or compares with it, has loaded it in a section that lasts. I2 who touches a message of its own after its last
//             push is in a section, or has a unit whose arrival it has not counted yet. I3 what was helped is left to the collector: helpers push
//             parts of their own, which lead to it, and may be late.
// Progress:   wait-free. Who stalls in a section keeps messages from being used again, which are made anew then; it stops nobody.
// Publish:    what is done in a section comes before inSection = 0, and that before the look at it
// ABA/memory: when a message is put aside it can be found no longer. Who found it before entered the section before, so the look sees that
//             it is there, or that it was. At most mostRetired are put aside by each processor.
// Cost:       an exchange for each send to where something is queued; a look at each processor for mostRetired messages
// Checked by: TestExploreSeveralAgain…, TestSeveralTellAllocatesNothing, TestSeveralStress

// section is the time in which somebody may look at messages of others. It begins when it must.
type section struct {
	seat *worker
	at   *Runtime // nil until it has begun
}

// begin begins the section, and reports whether it had not begun: what was loaded before is to be loaded again.
func (v *section) begin(rt *Runtime) bool {
	if v.at != nil {
		return false
	}
	v.at = rt
	if v.seat.at(rt) {
		v.seat.inSection.Swap(1) // before what is loaded next
	} else {
		rt.ingress.sections.Add(1)
	}
	return true
}

func (v *section) end() {
	switch {
	case v.at == nil:
	case v.seat.at(v.at):
		v.seat.inSection.Store(0)
	default:
		v.at.ingress.sections.Add(-1)
	}
	v.at = nil
}

// inSections reports whether somebody was in a section when it was looked for.
func (rt *Runtime) inSections() bool {
	if rt.ingress.sections.Load() != 0 {
		return true
	}
	for _, p := range rt.scheduler.Processors() {
		if workerOf(p).inSection.Load() != 0 {
			return true
		}
	}
	return false
}

// mostRetired is how many messages wait for that at a time. They keep their units.
const mostRetired = 16

// retired are messages that can be found no longer. A processor's own.
type retired struct {
	n    int
	list [mostRetired]*multi
}

// retire puts a message aside that no mailbox knows of, or leaves it to the collector. The seat outside is everybody's.
func (s *worker) retire(m *multi) {
	r := &s.retired
	if s == &s.rt.outside || r.n == mostRetired && !s.useAgain() {
		return
	}
	r.list[r.n] = m
	r.n++
}

// useAgain gives back what is put aside, and reports whether it did: not if anybody is in a section.
func (s *worker) useAgain() bool {
	if s.rt.inSections() {
		return false
	}
	r := &s.retired
	for i, m := range r.list[:r.n] {
		r.list[i] = nil
		if m.renew() {
			whole := m.whole()
			whole.vtable().recycle(s, whole)
		}
	}
	r.n = 0
	return true
}

// renew prepares a message that nobody can look at any more for its next life, and reports whether it may have one.
func (m *multi) renew() bool {
	if m.helped.Load() {
		return false
	}
	m.placed.Store(0)
	if m.arrived.Load() != 0 { // a store is an exchange
		m.arrived.Store(0)
	}
	parts := m.all()
	for i := range parts {
		parts[i].unit = nil // which is not to be kept
		parts[i].arrived.Set(false)
	}
	return true
}

// again returns a message to use again, sent from s with operation id; nil if there is none.
func (s *worker) again(id int) *message {
	if s.processor != nil {
		return s.magazine(id).take()
	}
	l, _, _ := s.rt.messageFromStripe(id, counted)
	return l
}
