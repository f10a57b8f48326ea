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
//
// A message that is new is in no cycle: nothing waits for it yet. Nor is an activation before it
// forwards a future; and then it walks, as all that wait for a future do.
//
// Invariants: I1 An implied edge is there before K1 or K2 look, and the edge of an activation is
//             stored before its walk. So the last of the edges of a cycle finds it.
//             I2 An implied edge that a walk finds holds until the activation has an outcome.
// Checked by: TestKindFindsCycles, TestKindCycle

// gate is the edge of a message to several units, of which some are of kinds.
type gate struct {
	promise.Cell // must be first
	of           *multi
}

func newGate(m *multi) *gate {
	g := &gate{of: m}
	g.MakeGate()
	return g
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
	return x.holder.Load() != nil || x.keyed != nil && x.keyed.making.Load() != nil
}

// lookForCycle fails the activations for which messages to u wait, and which wait for themselves
// (K1).
func (u *unit) lookForCycle(w *worker) {
	found := activations{}
	found.ofUnit(u)
	found.failCycles(w)
}

// look is lookForCycle for a message to several units that has come to one more (K2).
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
	if end.IsGate() {
		f.ofSeveral((*gate)(unsafe.Pointer(end)).of)
	} else if u := promisedOf(end).unit; u != nil {
		f.ofUnit(u)
	}
}

// ofUnit adds the activations for which messages in the mailbox of u wait.
func (f *activations) ofUnit(u *unit) {
	x := u.ext.Load()
	if x == nil {
		return
	}
	if x.keyed != nil {
		if a := x.keyed.making.Load(); a != nil && !f.has(a) {
			f.all = append(f.all, making{a, x.keyed.home.kind})
		}
	}
	if m := x.holder.Load(); m != nil {
		f.ofSeveral(m)
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

// isKeyed reports whether the unit is of a kind.
func (u *unit) isKeyed() bool {
	x := u.ext.Load()
	return x != nil && x.keyed != nil
}

// lacksState reports whether the unit is of a kind, and not active.
func (u *unit) lacksState() bool {
	x := u.ext.Load()
	return x != nil && x.keyed != nil && !x.keyed.is(active)
}
