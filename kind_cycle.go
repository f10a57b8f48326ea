package freerun

import (
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
)

// A unit that is activating lies still, and so do the units that have come to a message for which
// that one is missing. What lies in their mailboxes waits for the message that makes the state. If
// that waits in turn for what lies there, through futures that it has forwarded, nothing would go
// on. A suspended unit lies still in the same way, for the message of its Suspend. So the graph of
// futures has these waits too, as implied edges:
//
//	message        ─→ the activation of its unit, while the unit is activating
//	message        ─→ the suspension of its unit, which the rest calls an activation, too
//	message        ─→ the message to several units to which its unit has come
//	message to     ─→ the activation of each of its units; its edge is a gate, which finds them
//	several units
//	Watch, Room    ─→ the activation of the unit that is to end, or to have room; as above
//
// Implied edges are not stored; a walk that comes to a message which waits for no future finds them
// (promise.Implied).
// A cycle has an activation in it, because each implied edge leads there.
// So whoever adds an implied edge, to an activation that has begun, walks from the activation:
//
//	K1  a message that has waited for futures comes to a unit (unit.deliver, worker.dispatch)
//	K2  a unit comes to a message to several units (multi.hold)
//	K3  a message to several units, which may have waited for futures, is in their mailboxes
//	    (core.placeSent)
//
// A message that is new is in no cycle: nothing waits for it yet, nor for a new Watch or Room. Nor
// is an activation before it forwards a future; and then it walks, as all that wait for a future
// do.
//
// Most units have nothing to do with kinds, and messages to them pay nothing for K2. A message to
// several units is near kinds if one of them is of a kind, or is near one: then the others are near
// kinds, too. It becomes near
//
//	N1  right before it is placed (meetUnits),
//	N2  or right after a part of it was put behind another message, and before it counts as
//	    placed; who helps to place it looks at each unit, too (meetNear).
//
// Its units must know of that when they come to it. So
//
//	N3  an owner that comes to a message which is not placed yet completes the placing first
//	    (settleNearness); a goroutine that brings a unit to the message by a push calls hold after
//	    its last push, and before it counts the unit
//
// Invariants: I1 An implied edge is there before K1, K2 or K3 look, and the edge of an activation
//             is stored before its walk. So the last of the edges of a cycle finds it.
//             I2 An implied edge that a walk finds holds until the activation has an outcome.
//             I3 A message that is behind one near kinds in a mailbox, is near kinds, too, once it
//             is placed. For the unit was near before the first was pushed. Whoever finds that all
//             parts of the second are in the mailboxes has looked at the unit since then (N2). A
//             look before the push would not do: a message that is used again is newest again.
//             I4 So a unit that lies still for a message near kinds is known to do so: its holder.
// Cost:       for messages between plain units: a load of the unit's ext for each push that finds
//             the mailbox not idle, and a store of the edge for messages with futures
// Checked by: TestKindFindsCycles…, TestKindCycle, TestExploreKind…

// gate is the edge of promises that wait for the activations of units, if there are any: of the
// messages to several units that are placed, of one operation; of Watches; or of Rooms.
type gate struct {
	promise.Cell // must be first
	// multiAt is where such a message has its multi, and unitAt where such a promise has its unit.
	// One of them is 0.
	multiAt, unitAt uintptr
}

func newGate(multiAt, unitAt uintptr) *promise.Cell {
	g := &gate{multiAt: multiAt, unitAt: unitAt}
	g.MakeGate()
	return &g.Cell
}

// gateOf returns the gate that the edge of a cell is, nil if it is none.
func gateOf(c *promise.Cell) *gate { return (*gate)(unsafe.Pointer(c.Gate())) }

// severalOf returns what a placed message to several units has; nil for the cell of any other.
func severalOf(c *promise.Cell) *multi {
	if g := gateOf(c); g != nil && g.multiAt != 0 {
		return (*multi)(unsafe.Add(unsafe.Pointer(promisedOf(c)), g.multiAt))
	}
	return nil
}

// unitAwaitedBy returns the unit without which the promise of a cell gets no outcome: that of the
// message, or the one of a Watch or Room.
func unitAwaitedBy(c *promise.Cell) *unit {
	m := promisedOf(c)
	if g := gateOf(c); g != nil && g.unitAt != 0 {
		return *(**unit)(unsafe.Add(unsafe.Pointer(m), g.unitAt))
	}
	return m.unit
}

// meetUnits notes, right before a message is placed, whether one of its units is of a kind, or near
// one, which a unit also is once a message that suspends it was sent (N1).
func (m *multi) meetUnits() {
	parts := m.all()
	for i := range parts {
		if x := parts[i].unit.ext.Load(); x != nil && (x.keyed() != nil || x.nearKinds()) {
			m.comeNear()
			return
		}
	}
}

// meetNear notes that the message is near kinds if u is, in whose mailbox a part of it is behind
// another message (N2).
func (m *multi) meetNear(u *unit) {
	if x := u.ext.Load(); x != nil && looksBehind && x.nearKinds() && !m.near.Load() {
		m.comeNear()
	}
}

// comeNear has the message and its units be near kinds.
func (m *multi) comeNear() {
	parts := m.all()
	for i := range parts {
		if x := parts[i].unit.extend().forSeveral(); !x.nearKinds.Load() {
			x.nearKinds.Store(true)
		}
	}
	m.near.Store(true)
}

// settleNearness has it settled whether the message is near kinds, for an owner that comes to it
// (N3).
func (m *multi) settleNearness(w *worker) {
	if m.placed.Load() == 0 && settlesFirst {
		v := section{worker: w}
		m.help(&v)
		v.end()
	}
}

// hold notes that units, which have come to the message and are not counted yet, lie still for it,
// and looks for cycles (K2). The caller owns the units.
func (m *multi) hold(units ...int32) {
	if !m.near.Load() {
		return
	}
	parts := m.all()
	for _, i := range units {
		parts[i].unit.extend().forSeveral().holder.Store(m)
	}
	m.look(parts[0].unit.rt)
}

func init() { promise.Implied = waitsThroughUnits }

// waitsThroughUnits reports whether the message of cell end waits for target through its units.
func waitsThroughUnits(end, target *promise.Cell) bool {
	found := activations{}
	found.behind(end)
	return found.lead(target)
}

// mayWait reports whether a message in the mailbox of the unit may wait for an activation.
func (x *unitExt) mayWait() bool {
	return x.still.Load() != nil || x.holder() != nil
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
func (m *multi) mayWait() bool {
	parts := m.all()
	for i := range parts {
		if x := parts[i].unit.ext.Load(); x != nil && x.mayWait() {
			return true
		}
	}
	return false
}

// look is lookForCycle for a message to several units that has units come to it (K2), or has come
// into their mailboxes (K3).
func (m *multi) look(rt *Runtime) {
	found := activations{}
	found.ofSeveral(m)
	if len(found.all) > 0 {
		found.failCycles(rt.detachedWorker())
	}
}

// activations are the activations that implied edges lead to, each once.
type activations struct {
	all  []making
	seen []*multi
}

// making is an activation, and the vtable by which it is told.
type making struct {
	made *promised
	by   *vtable
}

// suspends is the vtable by which suspensions are told, which have many: one for each type.
var suspends = &vtable{identity: identity{name: "freerun.unit.suspend"}}

// behind adds the activations for which the message of a cell waits, whose edge leads nowhere or to
// a gate.
func (f *activations) behind(end *promise.Cell) {
	n := len(f.all)
	if m := severalOf(end); m != nil {
		f.ofSeveral(m)
	} else if u := unitAwaitedBy(end); u != nil {
		f.ofUnit(u)
	}
	// If the message has run meanwhile, its unit may be activating anew. It does not wait for that.
	if !end.Ends() {
		f.all = f.all[:n]
	}
}

// ofUnit adds the activations for which messages in the mailbox of u wait.
func (f *activations) ofUnit(u *unit) {
	x := u.ext.Load()
	if x == nil {
		return
	}
	if a := x.still.Load(); a != nil && !f.has(a) {
		by := suspends
		if a.free() {
			by = x.settings.home.kind.makes
		}
		f.all = append(f.all, making{a, by})
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
			w.countCycle(a.made, a.by)
			a.made.lineage.Load().ended(w) // it has begun, and that of a Suspend may have a scope
		}
	}
}

// lacksState reports whether the unit is of a kind, and not active.
func (u *unit) lacksState() bool {
	x := u.ext.Load()
	return x != nil && x.keyed() != nil && !x.keyed().is(active)
}
