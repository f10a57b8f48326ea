package freerun

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// What a store sends is in bytes, with names: it was stored. This file finds what has the names.

var (
	kindsByName      sync.Map // string → *kind: the kinds by their full names
	operationsByName sync.Map // string → *core: the operations on units by their full names
)

// delivery is an operation that a store sends.
type delivery struct {
	waiter message // woken by its outcome; must be first
	of     *core
	sent   *promised
	mark   any
	done   func(result any, err error)
}

var deliveryVtable *vtable

func init() {
	deliveryVtable = waiterVtable("delivery", func(_ *worker, m *message) {
		d := (*delivery)(unsafe.Pointer(m))
		if d.mark != nil {
			m.unit.rt.deliveries.Delete(d.sent)
		}
		if _, err := d.sent.Outcome(); err != nil {
			d.done(nil, err)
		} else {
			d.done(reflect.NewAt(d.of.result, d.of.resultOf(d.sent)).Interface(), nil)
		}
	})
}

// deliver sends an operation to units of kinds. The error says that a name is unknown, that bytes
// cannot be decoded, or that the runtime takes nothing any more.
func deliver(in any, d *route.Delivery) error {
	rt := in.(*Runtime)
	o, known := operationsByName.Load(d.Operation)
	if !known {
		return fmt.Errorf("freerun: there is no operation %s", d.Operation)
	}
	of := o.(*core)
	units, err := rt.addressed(of, d.To)
	if err != nil {
		return err
	}
	several := of.route.Form == route.Several
	var m *promised
	var to *multi
	if several {
		m, to, err = of.newSeveral(units, d.Arg)
	} else {
		m, err = of.newSend(d.Arg)
	}
	if err != nil {
		return fmt.Errorf("freerun: the argument of %s: %w", d.Operation, err)
	}
	sent := &delivery{of: of, mark: d.Mark, done: d.Done, sent: m}
	if several && sent.mark == nil {
		sent.mark = sent // its units ask
	}
	if sent.mark != nil {
		rt.deliveries.Store(m, sent)
	}
	key := rt.keyWith(d.Values, d.Senders)
	switch {
	case d.Revocable:
		m.lineage.Store(rt.calling(key))
		d.Revoke = func(err error) { m.revoke(of.sent, err) }
	case key != nil:
		m.lineage.Store(&key.root)
	}
	if several {
		err = rt.sendSeveralFromStore(of, m, to, &sent.waiter, deliveryVtable)
	} else {
		err = units[0].sendFromStore(nil, of, m, &sent.waiter, deliveryVtable)
	}
	if err != nil {
		rt.deliveries.Delete(m)
	}
	return err
}

// keyWith returns a context key with values, and with senders on other machines; nil for none.
func (rt *Runtime) keyWith(values []route.Value, senders []string) *contextKey {
	if len(values)+len(senders) == 0 {
		return nil
	}
	var all []contextValue
	if len(senders) > 0 {
		all = append(all, contextValue{cameKey{}, &senders})
	}
	for _, v := range values {
		all = append(all, contextValue{v.Key, v.Value})
	}
	return rt.Context().withValues(all...).key
}

// sendersIn returns what Senders returns of a message that the operation running with c sends.
func sendersIn(c *Context) []string {
	if c.key == nil {
		return nil
	}
	return c.here().sends(c).chain()
}

// addressed returns the units that an operation is delivered to.
func (rt *Runtime) addressed(o *core, to []route.Place) (units []*unit, err error) {
	name, states := o.declared.full, o.stateTypes()
	if want := len(states); len(to) < want || len(to) > want && !o.isOnAll() {
		return nil, fmt.Errorf("freerun: operation %s is on %d units, and was delivered to %d", name, want, len(to))
	}
	for i, p := range to {
		k, err := kindNamed(p.Kind)
		if err != nil {
			return nil, err
		}
		if state := states[min(i, len(states)-1)]; state != k.usual.state {
			return nil, fmt.Errorf("freerun: operation %s is for states of %v, and kind %s has %v", name, state, p.Kind, k.usual.state)
		}
		u, err := unitFound(k, rt, p.Key)
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// kindNamed returns the kind with a full name.
func kindNamed(full string) (*kind, error) {
	if k, known := kindsByName.Load(full); known {
		return k.(*kind), nil
	}
	return nil, fmt.Errorf("freerun: there is no kind %s", full)
}

// unitFound returns the unit of a key of a kind, which decode decodes.
func unitFound(k *kind, rt *Runtime, decode func(key any) error) (*unit, error) {
	u, err := k.find(rt, decode)
	if err != nil {
		return nil, fmt.Errorf("freerun: the key of kind %s: %w", k.declared.full, err)
	}
	return u, nil
}

// findStored returns the unit of a key of a kind with a store.
func findStored(in any, full string, decode func(key any) error) (route.Unit[*Context], error) {
	k, err := kindNamed(full)
	if err != nil {
		return nil, err
	}
	u, err := unitFound(k, in.(*Runtime), decode)
	if err != nil {
		return nil, err
	}
	return u.stored(), nil
}

// markOf returns the mark of the delivery that the running message is, nil for others.
func markOf(i *Invocation) any {
	m := i.checked().message
	if i.told {
		return nil
	}
	if d := m.delivered(); d != nil {
		return d.mark
	}
	return nil
}

// delivered returns the delivery that m is, which has a future; nil for others.
func (m *message) delivered() *delivery {
	d, _ := m.unit.rt.deliveries.Load((*promised)(unsafe.Pointer(m)))
	sent, _ := d.(*delivery)
	return sent
}

// isDelivered reports whether a store has sent m, which is routed.
func (m *message) isDelivered() bool { return !m.vtable().routedTold && m.delivered() != nil }

// finder returns the function that finds the unit of a key, which decode decodes.
func finder[K comparable, S any](k *Kind[K, S]) func(rt *Runtime, decode func(key any) error) (*unit, error) {
	return func(rt *Runtime, decode func(key any) error) (*unit, error) {
		var key K
		if err := decode(&key); err != nil {
			return nil, err
		}
		if key != key {
			return nil, errors.New("it does not equal itself")
		}
		return &k.at(k.in(rt), key).unit, nil
	}
}

// allKinds describes the kinds declared so far, in the order of their names.
func allKinds() (all []route.Declared) {
	for name, k := range kindsByName.Range {
		k := k.(*kind)
		d := route.Declared{
			Name: name.(string), Given: k.declared.given, Place: k.declared.place, State: k.usual.state, Key: k.usual.key,
			Active: func(rt any) int { return rt.(*Runtime).activeOf(k) },
		}
		switch {
		case k.usual.store != nil:
			d.Store = k.usual.store
		case k.usual.route != nil:
			d.Store = k.usual.route
		}
		all = append(all, d)
	}
	return byName(all)
}

// allOperations describes the operations on units declared so far, in the order of their names.
func allOperations() (all []route.Declared) {
	for name, o := range operationsByName.Range {
		o := o.(*core)
		all = append(all, route.Declared{
			Name: name.(string), Given: o.declared.given, Place: o.declared.place,
			State: o.stateTypes()[0], Arg: o.arg, Result: o.result, Form: o.route.Form,
		})
	}
	return byName(all)
}

// stopSome makes the active units of a kind passive whose keys are of those.
func stopSome(in any, full string, of func(key any) bool, done func()) {
	rt := in.(*Runtime)
	open := &atomics.Int64{}
	open.Store(1)
	ended := func() {
		if open.Add(-1) == 0 {
			done()
		}
	}
	if k, err := kindNamed(full); err == nil {
		for _, u := range rt.activeUnits(k) {
			if of(k.key(u)) {
				open.Add(1)
				Handle(rt.Context(), k.stop(rt.Context(), u), func(*Context, bool, error) (struct{}, error) {
					ended()
					return struct{}{}, nil
				})
			}
		}
	}
	ended()
}

func byName(all []route.Declared) []route.Declared {
	slices.SortFunc(all, func(a, b route.Declared) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// stateTypes returns the types of the states of an operation on units with a name.
func (o *core) stateTypes() []reflect.Type { return o.declaredAs().States }

// isOnAll reports whether an operation on units with a name is on any number of them.
func (o *core) isOnAll() bool { return o.declaredAs().Constructor == "OpAll" }

func (o *core) declaredAs() *OperationInfo {
	info, _ := declared.Load(o.declared.full)
	return info.(*OperationInfo)
}
