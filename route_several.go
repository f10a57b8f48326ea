package freerun

import (
	"iter"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/scan"
)

// What a store needs for operations on several units: their states together, in one turn of all.

// Units implements [route.Message].
func (r *routedMessage) Units() []route.Addressee {
	if r.of.route.Form != route.Several {
		return nil
	}
	parts := r.of.severalOf(r.message, r.told).all() // the vtable changes when it is placed
	all := make([]route.Addressee, len(parts))
	for i := range parts {
		u := parts[i].unit
		if u.hasRoute() {
			all[i] = (&routedMessage{unit: u}).addressee(u.ext.Load().settings.route)
		}
	}
	return all
}

func (r *routedMessage) addressee(by route.Route) route.Addressee {
	return route.Addressee{Kind: r.Kind(), Key: r.Key(), Route: by}
}

// severalOf returns the multi of m, a message to several units of vtable k, placed or not.
func (k *vtable) severalOf(m *message) *multi {
	return k.routed.severalOf(m, k.routedTold)
}

// severalOf returns the multi of m, a message of the operation that was told or has a future.
func (o *core) severalOf(m *message, told bool) *multi {
	if told {
		return o.placedTold.multi(m)
	}
	return o.placed.multi(m)
}

// meetRoutes asks the routes of the units, right before the message is placed, what becomes of it.
// The first that does not have it stay decides. It reports whether it stays; if not, the message is
// the caller's only if there is an error.
func (m *multi) meetRoutes(w *worker) (here bool, err error) {
	for u := range m.asked() {
		if here, err = u.newRouted(m.whole()).asked(w, u.ext.Load().settings.route, false); !here {
			return false, err
		}
	}
	return true, nil
}

// asked returns a unit for each route that is asked. Units of a kind have their route in common,
// and what a store sends is not asked about.
func (m *multi) asked() iter.Seq[*unit] {
	return func(yield func(u *unit) bool) {
		whole, parts := m.whole(), m.all()
		var asked *unitSettings
		for i := range parts {
			x := parts[i].unit.ext.Load()
			if x == nil || x.has().route == nil || x.settings == asked || whole.vtable().routed == nil || whole.isDelivered() {
				continue
			}
			if asked = x.settings; !yield(parts[i].unit) {
				return
			}
		}
	}
}

// refusedWithin asks the routes of the units about m, which the running operation sends, whose
// outcome is kept back, and which itself is kept if there is no error.
func (w *worker) refusedWithin(m *message) error {
	for u := range m.vtable().severalOf(m).asked() {
		if err := u.askedAhead(w, m); err != nil {
			return err
		}
	}
	return nil
}

// storedSeveral returns the units on which the operation runs, as the stores of their kinds have
// them: nil for one without.
func storedSeveral(i *Invocation) (all []route.Unit[*Context]) {
	i.eachUnit(func(u *unit) { all = append(all, u.ifStored()) })
	return all
}

// statesBelow returns pointers to the states of the units on which the operation runs.
func statesBelow(i *Invocation) (all []any) {
	i.eachUnit(func(u *unit) { all = append(all, stateAt(u)) })
	return all
}

func (i *Invocation) eachUnit(f func(u *unit)) {
	if i.checked().of.placed == nil {
		f(i.message.unit)
		return
	}
	parts := (*multi)(i.to).all()
	for n := range parts {
		f(parts[n].unit)
	}
}

// turnAll is a step of a store with several units, in the turn of all.
type turnAll struct {
	_       scan.Opaque
	waiter  message // woken by its outcome
	fn      func(c *Context, states []any)
	failed  func(err error)
	sent    *promised
	message multiSend[*turnAll, struct{}]
}

var (
	turnAllOp       = &operation[*turnAll, struct{}]{}
	turnAllVtable   *vtable // of the waiters
	turnAllDeclared = declare("units.turn", OperationInfo{})
)

func init() {
	turnAllVtable = waiterVtable("turn of several units", func(_ *worker, m *message) {
		t := (*turnAll)(unsafe.Add(unsafe.Pointer(m), -int(unsafe.Offsetof(turnAll{}.waiter))))
		if _, err := t.sent.Outcome(); err != nil {
			t.failed(err)
		}
	})
	o := &turnAllOp.core
	o.declared = turnAllDeclared
	turnAllOp.invoke = runTurnAll
	completeSeveral(turnAllOp, turnAllDeclared.name, nil)
	o.argPlan, o.resultPlan = nil, nil
	o.keepsHouse()
	o.placed.around, o.placed.chore = nil, true
}

// runTurnAll is the function of turnAllOp.
func runTurnAll(c *Context, to unsafe.Pointer, t *turnAll) (struct{}, error) {
	parts := (*multi)(to).all()
	states := make([]any, len(parts))
	for i := range parts {
		states[i] = stateAt(parts[i].unit)
	}
	t.fn(c, states)
	return struct{}{}, nil
}

// runAll has fn called with the states of several units, in the turn of all.
func runAll(units []route.Unit[*Context], fn func(c *Context, states []any), failed func(err error)) {
	t := &turnAll{fn: fn, failed: failed}
	parts := make([]multiPart, len(units))
	for i, u := range units {
		parts[i].unit = u.(*storedUnit).unit()
	}
	t.message.send.arg = t
	to := &t.message.multi
	t.sent = &t.message.send.result.promised
	to.n, to.many = int32(len(parts)), &parts[0]
	if err := parts[0].unit.rt.sendSeveralFromStore(&turnAllOp.core, t.sent, to, &t.waiter, turnAllVtable); err != nil {
		failed(err)
	}
}

// sendSeveralFromStore is sendFromStore to the units of a message.
func (rt *Runtime) sendSeveralFromStore(o *core, m *promised, to *multi, waiter *message, k *vtable) error {
	to.offset = uint32(o.placed.multiAt)
	if err := to.arrange(&rt.outside); err != nil {
		return err
	}
	return rt.free.sendFromStore(nil, o, m, waiter, k)
}
