package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// store keeps the states of a kind while its units are passive: internal/route/store.go.
type store = route.Store[*Context, *Invocation]

// withStore is the option of a kind whose states s keeps.
func withStore(s store) KindOption {
	if s == nil {
		panic("freerun: a nil store")
	}
	return kindOption(func(k *kindSettings) {
		if k.store != nil || k.route != nil {
			panic("freerun: two stores for a kind; its states are in one")
		}
		k.store = s
		first := []UnitOption{withRoute(s), Intercept(s.Around)}
		k.units = append(first, k.units...)
	})
}

// storedUnit is a unit of a kind with a store, as the store has it.
type storedUnit unit

func (u *unit) stored() *storedUnit { return (*storedUnit)(u) }

func (s *storedUnit) unit() *unit { return (*unit)(s) }

func (s *storedUnit) keyed() *keyed { return s.unit().ext.Load().keyed() }

// storedBy returns the unit on which the operation runs, nil unless its kind has a store.
func storedBy(i *Invocation) route.Unit[*Context] { return i.checked().message.unit.ifStored() }

// storedOf returns a *Unit[S] as the store of its kind has it, nil without one.
func storedOf(u any) route.Unit[*Context] {
	return u.(interface{ checked() *unit }).checked().ifStored()
}

// ifStored returns the unit as the store of its kind has it, nil without one.
func (u *unit) ifStored() route.Unit[*Context] {
	if !u.hasStore() {
		return nil
	}
	return u.stored()
}

// hasStore reports whether a store keeps the states of the unit's kind.
func (u *unit) hasStore() bool {
	x := u.ext.Load()
	return x != nil && x.keyed() != nil && x.settings.home.settings.store != nil
}

// formOf returns the form of the operation that runs.
func formOf(i *Invocation) route.Form { return i.checked().of.route.Form }

// Kind implements [route.Unit].
func (s *storedUnit) Kind() string { return s.keyed().settings.home.kind.declared.full }

// Runtime implements [route.Unit].
func (s *storedUnit) Runtime() any { return s.rt }

// Key implements [route.Unit].
func (s *storedUnit) Key() any { return s.keyed().settings.home.kind.key(s.unit()) }

// Local implements [route.Unit].
func (s *storedUnit) Local() any {
	if r := s.keyed().rare.Load(); r != nil {
		return r.local
	}
	return nil
}

// SetLocal implements [route.Unit].
func (s *storedUnit) SetLocal(v any) { s.keyed().withRare().local = v }

// HasMore implements [route.Unit].
func (s *storedUnit) HasMore() bool { return s.unit().hasMore() }

// Drop implements [route.Unit].
func (s *storedUnit) Drop() { s.unit().dropState() }

// turn is a step of a store with a unit, in the unit's turn.
type turn struct {
	waiter message // woken by its outcome; must be first
	of     route.Turn[*Context]
	send   sendMessage[*turn, struct{}]
}

// turnOf is a turn of two functions.
type turnOf struct {
	fn     func(c *Context, state any)
	failed func(err error)
}

func (t *turnOf) Run(c *Context, state any) { t.fn(c, state) }
func (t *turnOf) Failed(err error)          { t.failed(err) }

var (
	turnOp       = &operation[*turn, struct{}]{}
	turnVtable   *vtable // of the waiters of turns
	turnDeclared = declare("unit.turn", OperationInfo{})
)

func init() {
	turnVtable = waiterVtable("turn", func(_ *worker, m *message) {
		t := (*turn)(unsafe.Pointer(m))
		if _, err := t.send.result.promised.Outcome(); err != nil {
			t.of.Failed(err)
		}
	})
	turnOp.core.declared = turnDeclared
	turnOp.invoke = runTurn
	complete(turnOp, turnDeclared.name, nil)
	turnOp.core.argPlan, turnOp.core.resultPlan = nil, nil
	turnOp.core.keepsHouse()
}

// runTurn is the function of turnOp.
func runTurn(c *Context, to unsafe.Pointer, t *turn) (struct{}, error) {
	t.of.Run(c, stateAt((*unit)(to)))
	return struct{}{}, nil
}

// Run implements [route.Unit].
func (s *storedUnit) Run(fn func(c *Context, state any), failed func(err error)) {
	s.RunTurn(nil, &turnOf{fn, failed})
}

// RunTurn implements [route.Unit].
func (s *storedUnit) RunTurn(from *Context, of route.Turn[*Context]) {
	u := s.unit()
	t := &turn{of: of}
	t.send.arg = t
	if err := u.sendFromStore(from, &turnOp.core, &t.send.result.promised, &t.waiter, turnVtable); err != nil {
		of.Failed(err)
	}
}

// soon runs a turn of no unit.
func soon(in any, t route.Turn[*Context]) { in.(*Runtime).free.stored().RunTurn(nil, t) }

// sendFromStore sends m to the unit, and has waiter, of vtable k, woken by its outcome. A runtime
// that drains takes it: what it is about has not ended. c is the context of the operation that
// sends it, or nil.
func (u *unit) sendFromStore(c *Context, o *core, m *promised, waiter *message, k *vtable) error {
	if c != nil {
		if w := c.here(); w.at(u.rt) && w.refuses(u) == nil {
			w.counters.sent.Add(1)
			u.launchFromStore(w, o, m, waiter, k)
			return nil
		}
	}
	if !u.rt.countSent(drains) {
		return ErrClosed
	}
	u.rt.firing.Add(1)
	defer u.rt.fired()
	w := u.rt.borrowWorker()
	u.launchFromStore(w, o, m, waiter, k)
	w.giveBack()
	return nil
}

// launchFromStore sends m, which is counted, from w.
func (u *unit) launchFromStore(w *worker, o *core, m *promised, waiter *message, k *vtable) {
	m.start(o, u)
	waiter.unit = u
	waiter.become(k)
	m.push(waiter)
	if w.observed.Load() != 0 {
		w.sending(u, &m.message)
	}
	o.launch(w, m, ownSender)
}

// stateAt returns a pointer to the state of a unit with a route, nil for another one.
func stateAt(u *unit) any {
	x := u.ext.Load()
	if x == nil || x.has().state == nil {
		return nil
	}
	t := x.settings.state
	at := (unsafe.Sizeof(*u) + uintptr(t.Align()) - 1) &^ uintptr(t.Align()-1)
	return reflect.NewAt(t, unsafe.Add(unsafe.Pointer(u), at)).Interface()
}

// loading is an activation whose state comes from a store.
type loading[S any] struct {
	state S
	found bool
	err   error
	fresh func(c *Context) (S, error)
	unit  *unit
	step  atomics.Uint32
	read  *Promise[struct{}] // nil unless the activation waits
}

// The steps of a loading.
const (
	loadAsked uint32 = iota
	loadRead         // the store has answered
	loadWaits        // the activation waits for the answer
)

// loadable is the argument of the operation that goes on once the store has answered.
type loadable[S any] struct {
	read Future[struct{}]
	of   opaque[loading[S]]
}

// opaque keeps a scan for futures from what it leads to.
type opaque[T any] struct {
	_     scan.Opaque
	leads *T
}

// load makes the state of a unit of a kind with a store.
func load[K comparable, S any](k *Kind[K, S], c *Context, u *unit, s store, fresh func(*Context, K) (S, error), key K) (S, error) {
	l := &loading[S]{unit: u, fresh: func(c *Context) (S, error) { return fresh(c, key) }}
	s.Load(u.stored(), &l.state, func(found bool, err error) {
		l.found, l.err = found, err
		if !l.step.CompareAndSwap(loadAsked, loadRead) {
			l.read.Resolve(struct{}{}, nil)
		}
	})
	if l.step.Load() == loadRead {
		return made(c, l)
	}
	l.read = NewPromise[struct{}](c)
	waits := l.read.Future()
	if !l.step.CompareAndSwap(loadAsked, loadWaits) {
		l.read.Resolve(struct{}{}, nil)
		return made(c, l)
	}
	return Forward(c, sendTo(&k.making, c, &u.rt.free, loadable[S]{read: waits, of: opaque[loading[S]]{leads: l}}))
}

// made returns the state that was read, or makes one.
func made[S any](c *Context, l *loading[S]) (S, error) {
	if l.err != nil || l.found {
		return l.state, l.err
	}
	return l.fresh(c)
}

// assembleMaking makes the operation that goes on once a store has answered.
func assembleMaking[K comparable, S any](k *Kind[K, S]) {
	d := k.declared
	o := &k.making.core
	o.declared = &declaration{name: d.name + ".make", full: d.full + ".make", place: d.place, state: d.state}
	k.making.invoke = func(c *Context, _ unsafe.Pointer, l loadable[S]) (S, error) { return made(c, l.of.leads) }
	complete(&k.making, o.declared.name, nil)
	o.resultPlan = nil // a state may hold futures
	o.notIntercepted()
	o.sent.makesFor = func(m *message) *unit { return (*sendMessage[loadable[S], S])(unsafe.Pointer(m)).arg.of.leads.unit }
}
