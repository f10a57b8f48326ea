package freerun

// Told messages to two units are used again, as those to one unit are (reuse.go). But a sender that
// is about to enqueue looks at the marked part in the mailbox. If that sender is late, the message
// may be in its next life by then, and not placed yet. The sender must not take it for the message
// that it was. So a message is used again only after all goroutines that may have found it are
// gone.

// Source:     our own. Waiting for the goroutines that may still be looking is P. McKenney and J.
//             Slingwine's grace period (Read-copy update, 1998).
// Sketch:     section: inSection = 1; load the newest node, look at it, CAS against it;
//                      inSection = 0
//             retire:  after the run, the mailboxes forget the parts, one after another;
//                      then the message is put aside
//             reuse:   when many are put aside, or a processor has nothing to do, look at the
//                      inSection of each processor, one after another; if all are 0, use the
//                      messages again that were not helped
// Invariants: I1 A goroutine that follows a mark, or compares with it, has loaded it in a section
//                that lasts.
//             I2 A sender that touches its own message after its last push is in a section, or
//                holds a unit whose arrival it has not counted yet.
//             I3 A message that was helped is left to the collector: parts of helpers lead to it,
//                and may come late.
// Progress:   wait-free. A goroutine stalled in a section delays the reuse of messages; senders
//             then allocate new ones. No goroutine waits for it.
// Publish:    Everything in a section comes before inSection = 0, and that before the look at it.
// ABA/memory: A message that is put aside can be found no longer. A goroutine that found it
//             entered its section before that, so the look sees that the section lasts, or that
//             it has ended. Each processor puts at most mostRetired messages aside.
// Cost:       an exchange for each send to a mailbox that is not idle; a look at each processor
//             for mostRetired messages
// Checked by: TestExploreMultiAgain…, TestMultiTellAllocatesNothing, TestMultiStress

// section is the time in which a goroutine may look at messages of others. It begins late,
// if at all: a push into an idle mailbox needs none.
type section struct {
	worker *worker
	at     *Runtime // nil until it has begun
}

// begin begins the section, and reports whether it had not begun before: then everything loaded
// earlier must be loaded again.
func (v *section) begin(rt *Runtime) bool {
	if v.at != nil {
		return false
	}
	v.at = rt
	if v.worker.at(rt) {
		v.worker.inSection.Swap(1) // an exchange, so that it comes before the next load
	} else {
		rt.ingress.sections.Add(1)
	}
	return true
}

func (v *section) end() {
	switch {
	case v.at == nil:
	case v.worker.at(v.at):
		v.worker.inSection.Store(0)
	default:
		v.at.ingress.sections.Add(-1)
	}
	v.at = nil
}

// inSections reports whether the look at them, one after another, has found a goroutine in a
// section.
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

// mostRetired bounds the messages that a processor puts aside. They keep their units alive.
const mostRetired = 16

// retired holds messages that can be found no longer. It belongs to one processor.
type retired struct {
	n    int
	list [mostRetired]*multi
}

// retire puts m aside, which no mailbox knows any more, or leaves it to the collector. The worker
// of ordinary goroutines is shared, and puts nothing aside.
func (w *worker) retire(m *multi) {
	r := &w.retired
	if w == &w.rt.outside || r.n == mostRetired && !w.useAgain() {
		return
	}
	r.list[r.n] = m
	r.n++
}

// useAgain gives the messages back that were put aside, and reports whether it did. It does not
// while a goroutine is in a section.
func (w *worker) useAgain() bool {
	if w.rt.inSections() {
		return false
	}
	r := &w.retired
	for i, m := range r.list[:r.n] {
		r.list[i] = nil
		if m.renew() {
			whole := m.whole()
			whole.vtable().recycle(w, whole)
		}
	}
	r.n = 0
	return true
}

// renew prepares m, which no goroutine can look at any more, for its next life. It reports
// whether m may have one.
func (m *multi) renew() bool {
	if m.helped.Load() {
		return false
	}
	m.placed.Store(0)
	if m.arrived.Load() != 0 { // a store costs an exchange
		m.arrived.Store(0)
	}
	parts := m.all()
	for i := range parts {
		parts[i].unit = nil // so that it is not kept alive
		parts[i].arrived.Set(false)
	}
	return true
}

// again returns a message of operation id to use again, sent from w; nil if there is none.
func (w *worker) again(id int) *message {
	if w.processor != nil {
		return messageOf(w.magazine(id).Take())
	}
	m, _, _ := w.rt.messageFromStripe(id, counted)
	return m
}
