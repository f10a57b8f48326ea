package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/scan"
)

// What a store needs for operations on several units: their states together, in one turn of all.

// Units implements [route.Message].
func (r *routedMessage) Units() []route.Addressee {
	k := r.message.vtable()
	if k.routed.route.Form != route.Several {
		return nil
	}
	parts := k.severalOf(r.message).all()
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
	if k.routedTold {
		return k.routed.placedTold.multi(m)
	}
	return k.routed.placed.multi(m)
}

// refusedWithin asks the routes of the units what becomes of m, which the running operation sends,
// whose outcome is kept back, and which itself is kept if there is no error.
func (w *worker) refusedWithin(m *message) error {
	parts := m.vtable().severalOf(m).all()
	for i := range parts {
		if u := parts[i].unit; u.hasRoute() {
			if err := u.routeSeveral(w, u.ext.Load(), m, w.keeping()); err != nil {
				return err
			}
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
	turnAllOp.invoke = func(c *Context, to unsafe.Pointer, t *turnAll) (struct{}, error) {
		parts := (*multi)(to).all()
		states := make([]any, len(parts))
		for i := range parts {
			states[i] = stateAt(parts[i].unit)
		}
		t.fn(c, states)
		return struct{}{}, nil
	}
	completeSeveral(turnAllOp, turnAllDeclared.name, nil)
	o.argPlan, o.resultPlan = nil, nil
	o.keepsHouse()
	o.placed.around, o.placed.chore = nil, true
}

// runAll has fn called with the states of several units, in the turn of all.
func runAll(units []route.Unit[*Context], fn func(c *Context, states []any), failed func(err error)) {
	t := &turnAll{fn: fn, failed: failed}
	parts := make([]multiPart, len(units))
	for i, u := range units {
		parts[i].unit = u.(*storedUnit).unit()
	}
	rt, o := parts[0].unit.rt, &turnAllOp.core
	if !rt.countSent(drains) {
		failed(ErrClosed)
		return
	}
	rt.firing.Add(1)
	defer rt.fired()
	w := rt.detachedWorker()
	t.message.send.arg = t
	m, to := &t.message.send.result.promised, &t.message.multi
	to.n, to.many, to.offset = int32(len(parts)), &parts[0], uint32(o.placed.multiAt)
	t.sent = m
	m.start(o, &rt.free)
	if err := to.arrange(w); err != nil {
		panic(err) // they were the units of one message before
	}
	t.waiter.unit = &rt.free
	t.waiter.become(turnAllVtable)
	m.push(&t.waiter)
	if w.observed.Load() != 0 {
		w.sending(m.unit, &m.message)
	}
	o.launch(w, m, ownSender)
}
