package freerun

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own
// Sketch:     deliver: Route.Decide, with a routedMessage; then
//             here       the message goes on as any other
//             refused    deliver returns the error, as for a full mailbox
//             elsewhere  the message is in no list; the routedMessage leads to it. Resolve gives it
//                        an outcome as a promise gets one; Pass has it go on as any other
//             Each of these first takes the message, by a compare-and-swap. Who comes later has
//             nothing of it.
// Invariants: I1 Who takes the message is its holder. Before that nobody writes to it, but for the
//             edge, which says that it is elsewhere.
//             I2 While the route may read the argument, no revoker drops it: the edge is elsewhere.
//             I3 A message that was taken by nobody is counted as sent and not as done.
// Progress:   wait-free but for what the route does
// Publish:    the message is written before Decide is called, which gives it to the route
// Cost:       nothing for a unit without unitExt, a load with one, an allocation with a route
// Checked by: TestExploreRoute…, TestRoute…

func init() {
	route.Provide(route.Seam[UnitOption, KindOption, *Context, *Invocation]{
		Option: withRoute, Stored: withStore, Hold: holdBack, Again: again, Panicked: panickedHeld, Release: releaseIn, Soon: soon, State: stateBelow, Unit: storedBy, Form: formOf,
		Running: runningHeld, Carried: carried, Senders: sendersIn, Find: findStored, Of: storedOf, Mark: markOf, Kinds: allKinds, Operations: allOperations, Deliver: deliver,
		Routed: withRouteOfKind, StopSome: stopSome,
		Units: storedSeveral, States: statesBelow, RunAll: runAll,
	})
}

// withRoute is the option of a unit with a route.
func withRoute(r route.Route) UnitOption {
	if r == nil {
		panic("freerun: a nil route")
	}
	return UnitOption{func(x *unitExt, state reflect.Type) {
		if x.has().route != nil {
			panic("freerun: two routes for a unit; the messages of a unit have one")
		}
		x.set().route, x.set().state = r, state
		x.set().quick, _ = r.(route.Quick)
		_, x.set().behind = r.(route.Behind)
	}}
}

// withRouteOfKind is the option of a kind whose units have a route.
func withRouteOfKind(r route.Route) KindOption {
	units := withRoute(r)
	return kindOption(func(k *kindSettings) {
		if k.route != nil || k.store != nil {
			panic("freerun: two routes for a kind; its messages have one")
		}
		k.route = r
		k.units = append([]UnitOption{units}, k.units...)
	})
}

// routedMessage is a message as the unit's route has it.
type routedMessage struct {
	message *message
	unit    *unit
	of      *core
	told    bool
	ahead   bool            // asked at the send of one that is kept
	ctx     context.Context // of the Call that has sent the message; nil for others
	key     *contextKey
	sender  *held
	taken   atomics.Bool
	// unwatch ends the watch over the scope; nil while there is none.
	unwatch atomics.Pointer[func() bool]
}

func (u *unit) newRouted(m *message) *routedMessage {
	k := m.vtable()
	return &routedMessage{message: m, unit: u, of: k.routed, told: k.routedTold, key: m.lineage.Load().keyOf()}
}

func (r *routedMessage) scope() *Scope { return r.key.scopeOf() }

// routed asks the route what becomes of m, which is ready. It reports whether m goes on to the
// mailbox, as sent by by; if not, m is the caller's only if there is an error. from is as for
// deliver, or says that the route is not asked.
func (u *unit) routed(w *worker, x *unitExt, m *message, from *sender) (by *sender, here bool, err error) {
	switch {
	case from == passedSender:
		return nil, true, nil
	case from == ownSender, m.vtable().routed == nil:
		return from, true, nil
	}
	var sender *held
	if from != nil {
		sender = w.holding()
	}
	if q := x.settings.quick; q != nil && q.Stays(&m.vtable().routed.route, sender.asRoute()) {
		return from, true, nil
	}
	r := u.newRouted(m)
	if from != nil {
		r.ctx, r.sender = from.ctx, sender
	}
	here, err = r.asked(w, x.settings.route, from != nil)
	return from, here, err
}

// asked asks the route what becomes of the message. It reports whether that stays; if not, the
// message is the caller's only if there is an error. unshared is as for lead.
func (r *routedMessage) asked(w *worker, by route.Route, unshared bool) (here bool, err error) {
	if !r.lead(promise.Elsewhere(), unshared) {
		return false, nil
	}
	verdict, err := r.decide(w, by)
	r.sender = nil
	if err == nil && verdict == route.Elsewhere {
		r.watch(w)
		return false, nil
	}
	if !r.take() {
		return false, nil
	}
	return err == nil && r.lead(r.of.gate, unshared), err
}

// askedAhead asks the route of a unit about m, which is kept until the operation that sends it has
// its outcome: an error refuses it. The route is asked again when m leaves.
func (u *unit) askedAhead(w *worker, m *message) error {
	r := u.newRouted(m)
	r.sender, r.ahead = w.keeping(), true
	r.taken.Store(true) // it stays the caller's
	_, err := r.decide(w, u.ext.Load().settings.route)
	return err
}

// lead makes the edge of the message lead to a mark, nil for none. It returns false, and drops the
// message, if that was revoked. unshared: no other goroutine knows the future yet.
func (r *routedMessage) lead(to *promise.Cell, unshared bool) bool {
	if r.told || (*promised)(unsafe.Pointer(r.message)).lead(to, unshared) {
		return true
	}
	r.of.dropRevoked((*promised)(unsafe.Pointer(r.message)))
	return false
}

// decide calls the route. A panic of the route is an error. A Goexit would take the callers along,
// which may be in the middle of waking others, or of firing timers: it ends the program.
func (r *routedMessage) decide(w *worker, by route.Route) (v route.Verdict, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		if value == nil {
			go panic("freerun: the route of unit " + r.unit.nameOrAddress() + " has called runtime.Goexit")
			select {} // until the program has ended
		}
		err = w.panicked("the route of unit "+r.unit.nameOrAddress(), "", nil, value, debug.Stack())
	}()
	v, err = by.Decide(r)
	returned = true
	return v, err
}

// take makes the caller the holder of the message. It does so for the first caller only.
func (r *routedMessage) take() bool { return r.taken.CompareAndSwap(false, true) }

// watch has the message fail when its scope is canceled, as a promise does.
func (r *routedMessage) watch(w *worker) {
	if r.told || r.scope() == nil {
		return
	}
	unwatch := w.env.watchPromise(r.scope(), (*promised)(unsafe.Pointer(r.message)))
	r.unwatch.Store(&unwatch)
	if r.taken.Load() {
		unwatch()
	}
}

// takeOutside is take for a call of the route, which may come from any goroutine.
func (r *routedMessage) takeOutside() bool {
	if !r.take() {
		return false
	}
	if unwatch := r.unwatch.Load(); unwatch != nil {
		(*unwatch)()
	}
	return true
}

// Resolve implements [route.Message].
func (r *routedMessage) Resolve(result any, err error) bool {
	return r.takeOutside() && r.of.resolveRouted(r.message, r.told, result, err)
}

// Pass implements [route.Message].
func (r *routedMessage) Pass() bool {
	if !r.takeOutside() {
		return false
	}
	m, rt := r.message, r.unit.rt
	rt.firing.Add(1)
	defer rt.fired()
	w := rt.detachedWorker()
	if !r.lead(r.of.gate, false) {
		return true
	}
	err := m.refusalNow()
	switch {
	case err != nil:
	case r.of.placed == nil:
		err = r.unit.deliver(w, m, passedSender)
	case r.told:
		r.of.placeToldHere(w, m)
	default:
		r.of.placeSentHere(w, m)
	}
	if err != nil {
		m.vtable().fail(w, m, err)
	}
	return true
}

// refusalNow returns why a message must not go on, nil if it may.
func (m *message) refusalNow() error {
	if m.unit.rt.phase.Load() >= aborting || m.canceled() != nil {
		return m.refusal()
	}
	return nil
}

// Operation implements [route.Message].
func (r *routedMessage) Operation() *route.Operation { return &r.of.route }

// Key implements [route.Message].
func (r *routedMessage) Key() any {
	if x := r.unit.ext.Load(); x.keyed() != nil {
		return x.settings.home.kind.key(r.unit)
	}
	return nil
}

// Kind implements [route.Message].
func (r *routedMessage) Kind() string {
	if x := r.unit.ext.Load(); x.keyed() != nil {
		return x.settings.home.kind.declared.full
	}
	return ""
}

// Runtime implements [route.Message].
func (r *routedMessage) Runtime() any { return r.unit.rt }

// Told implements [route.Message].
func (r *routedMessage) Told() bool { return r.told }

// Arg implements [route.Message].
func (r *routedMessage) Arg() any {
	return reflect.NewAt(r.of.arg, r.of.argIn(r.message, r.told)).Interface()
}

// NewResult implements [route.Message].
func (r *routedMessage) NewResult() any { return reflect.New(r.of.result).Interface() }

// Context implements [route.Message].
func (r *routedMessage) Context() context.Context {
	rt := r.unit.rt
	switch {
	case r.ctx != nil && r.ctx.Done() != nil, r.ctx != nil && r.ctx != context.Background() && r.scope() == nil:
		return r.ctx // which is derived from that of the scope, if there is one
	case r.key != nil:
		return rt.outside.contextFor(r.key)
	}
	return rt.ctx
}

// Ahead implements [route.Message].
func (r *routedMessage) Ahead() bool { return r.ahead }

// Senders implements [route.Message].
func (r *routedMessage) Senders() []string { return r.message.lineage.Load().chain() }

// Sender implements [route.Message].
func (r *routedMessage) Sender() route.Held {
	return r.sender.asRoute()
}

// routes has routes see the messages of vtable k.
func (k *vtable) routes(o *core, told bool) { k.routed, k.routedTold = o, told }

// resolveRouted gives a message its outcome that is elsewhere. The caller has taken it.
func (o *core) resolveRouted(m *message, told bool, result any, err error) bool {
	if err == nil && result != nil && reflect.TypeOf(result) != reflect.PointerTo(o.result) {
		result, err = nil, mistyped(&o.route, result, o.result)
	}
	if told {
		return o.resolveTold(m, err)
	}
	rt, p := m.unit.rt, (*promised)(unsafe.Pointer(m))
	rt.env.drops(m)
	rt.firing.Add(1)
	defer rt.fired()
	if !o.resolves(p) {
		return false
	}
	if v := reflect.ValueOf(result); err == nil && result != nil && !v.IsNil() {
		o.typed.setResult(p, v.UnsafePointer())
	}
	return o.settleLate(&rt.outside, p, err, nil)
}

// mistyped is the error of a result of another type than that of the operation.
func mistyped(of *route.Operation, result any, want reflect.Type) error {
	return fmt.Errorf("freerun: the route of %s resolves it with a %T, where a *%v is its result", of.Name, result, want)
}

// resolveTold is resolve for a message without a future.
func (o *core) resolveTold(m *message, err error) bool {
	rt := m.unit.rt
	rt.firing.Add(1)
	defer rt.fired()
	w := &rt.outside
	if refused := m.refusalNow(); refused != nil {
		o.failTell(w, m, refused)
		return false
	}
	if err != nil {
		o.failTell(w, m, err)
		return true
	}
	w.env.drops(m)
	m.leave(w)
	o.drop(m)
	w.countRan(rt, 1)
	return true
}

// holding returns what keeps the outcome of the operation back that sends from w; nil if none does.
func (w *worker) holding() *held {
	if w.processor != nil {
		return w.active.Load().held
	}
	if h := sched.CurrentHost(); h != nil && h.Scheduler() == w.rt.scheduler {
		if c := contextOf(h, h.Processor()); c != nil {
			return c.held
		}
	}
	return nil
}
