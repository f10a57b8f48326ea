package freerun

import (
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
)

// A unit that is activating lies still, and so do the units that have come to a message for which
// that one is missing. What lies in their mailboxes waits for the message that makes the state. If
// that waits in turn for what lies there, through futures that it has forwarded, nothing would go
// on. So the graph of futures has these waits too, as implied edges:
//
//	message        ─→ the activation of its unit, while the unit is activating
//	message        ─→ the message to several units to which its unit has come
//	message to     ─→ the activation of each of its units; its edge is a gate, which finds them
//	several units
//
// Implied edges are not stored; a walk that comes to a message which waits for no future finds them
// (promise.Implied).
// A cycle has an activation in it, because each implied edge leads there.
// So whoever adds an implied edge, to an activation that has begun, walks from the activation:
//
//	K1  a message that has waited for futures comes to a unit (unit.deliver)
//	K2  a unit comes to a message to several units (multi.arrive)
//	K3  a message to several units, which may have waited for futures, is in their mailboxes
//	    (multiOperation.placeSent)
//
// A message that is new is in no cycle: nothing waits for it yet. Nor is an activation before it
// forwards a future; and then it walks, as all that wait for a future do.
//
// Invariants: I1 An implied edge is there before K1, K2 or K3 look, and the edge of an activation
//             is stored before its walk. So the last of the edges of a cycle finds it.
//             I2 An implied edge that a walk finds holds until the activation has an outcome.
// Checked by: TestKindFindsCycles, TestKindCycle

// gate is the edge of a message to several units, of which some are of kinds, or near them.
type gate struct {
	promise.Cell // must be first
	of           *multi
}

func newGate(m *multi) *gate {
	g := &gate{of: m}
	g.MakeGate()
	return g
}

// meetUnits gives a message a gate, right before it is placed, if one of its units is of a kind, or
// near one: if a message with a gate was placed in its mailbox before, which may hold it. Then the
// other units are near kinds too. So all messages that may lie behind one with a gate have gates.
// It returns an error if the route of a unit refuses the message.
func (m *multi) meetUnits(w *worker) error {
	parts, near := m.all(), false
	for i := range parts {
		x := parts[i].unit.ext.Load()
		if x == nil {
			continue
		}
		if x.has().route != nil {
			if err := parts[i].unit.routeSeveral(w, x, m.whole()); err != nil {
				return err
			}
		}
		near = near || x.keyed() != nil || x.nearKinds()
	}
	if !near {
		return nil
	}
	m.gate = newGate(m)
	for i := range parts {
		if x := parts[i].unit.extend().forSeveral(); !x.nearKinds.Load() {
			x.nearKinds.Store(true)
		}
	}
	return nil
}

func init() { promise.Implied = waitsThroughUnits }

// waitsThroughUnits reports whether the message of cell end waits for target through its units. end
// is its cell, or its gate.
func waitsThroughUnits(end, target *promise.Cell) bool {
	found := activations{}
	found.behind(end)
	return found.lead(target)
}

// mayWait reports whether a message in the mailbox of the unit may wait for an activation.
func (x *unitExt) mayWait() bool {
	of := x.keyed()
	return x.holder() != nil || of != nil && of.making.Load() != nil
}

// lookForCycle fails the activations for which messages to u wait, and which wait for themselves
// (K1). It comes after the step that puts the message into the mailbox, a compare-and-swap: the
// edge of the message is stored without order before that.
func (u *unit) lookForCycle(w *worker) {
	if x := u.ext.Load(); x == nil || !x.mayWait() {
		return
	}
	found := activations{}
	found.ofUnit(u)
	found.failCycles(w)
}

// mayWait reports whether a unit of the message may wait for an activation.
func (g *gate) mayWait() bool {
	parts := g.of.all()
	for i := range parts {
		if x := parts[i].unit.ext.Load(); x != nil && x.mayWait() {
			return true
		}
	}
	return false
}

// look is lookForCycle for a message to several units that has come to one more (K2), or into their
// mailboxes (K3).
func (g *gate) look(rt *Runtime) {
	found := activations{}
	found.ofSeveral(g.of)
	if len(found.all) > 0 {
		found.failCycles(rt.detachedWorker())
	}
}

// activations are the activations that implied edges lead to, each once.
type activations struct {
	all  []making
	seen []*multi
}

type making struct {
	made *promised
	kind *kind
}

// behind adds the activations for which the message of a cell waits, whose edge leads nowhere. end
// is its cell, or its gate.
func (f *activations) behind(end *promise.Cell) {
	n, still := len(f.all), end
	if end.IsGate() {
		m := (*gate)(unsafe.Pointer(end)).of
		f.ofSeveral(m)
		still = &(*promised)(unsafe.Pointer(m.whole())).Cell
	} else if u := promisedOf(end).unit; u != nil {
		f.ofUnit(u)
	}
	// If the message has run meanwhile, its unit may be activating anew. It does not wait for that.
	if still != end && !still.Open() || still == end && !end.Ends() {
		f.all = f.all[:n]
	}
}

// ofUnit adds the activations for which messages in the mailbox of u wait.
func (f *activations) ofUnit(u *unit) {
	x := u.ext.Load()
	if x == nil {
		return
	}
	if of := x.keyed(); of != nil {
		if a := of.making.Load(); a != nil && !f.has(a) {
			f.all = append(f.all, making{a, x.settings.home.kind})
		}
	}
	if m := x.holder(); m != nil {
		n := len(f.all)
		f.ofSeveral(m)
		if x.holder() != m { // it has run meanwhile
			f.all = f.all[:n]
		}
	}
}

// ofSeveral adds the activations for which a message to several units waits.
func (f *activations) ofSeveral(m *multi) {
	if slices.Contains(f.seen, m) {
		return
	}
	f.seen = append(f.seen, m)
	parts := m.all()
	for i := range parts {
		f.ofUnit(parts[i].unit)
	}
}

func (f *activations) has(a *promised) bool {
	return slices.ContainsFunc(f.all, func(x making) bool { return x.made == a })
}

// lead reports whether the activations, or those for which these wait in turn, lead to target. It
// adds the latter.
func (f *activations) lead(target *promise.Cell) bool {
	for i := 0; i < len(f.all); i++ {
		a := &f.all[i].made.Cell
		if a == target {
			return true
		}
		next := a.Next()
		if next == nil {
			continue
		}
		reached, end := target.Walk(next)
		if reached {
			return true
		}
		if end != nil {
			f.behind(end)
		}
	}
	return false
}

// failCycles seals the activations that wait for themselves.
func (f *activations) failCycles(w *worker) {
	for _, a := range f.all {
		next := a.made.Next()
		if next != nil && a.made.ClosesCycle(next) && a.made.seal(w, &promise.Circular) {
			w.countCycle(a.made, a.kind.makes)
		}
	}
}

// lacksState reports whether the unit is of a kind, and not active.
func (u *unit) lacksState() bool {
	x := u.ext.Load()
	return x != nil && x.keyed() != nil && !x.keyed().is(active)
}
