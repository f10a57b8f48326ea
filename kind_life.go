package freerun

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/timerwheel"
)

// Source:     virtual actors: S. Bykov and others, Orleans: Distributed virtual actors for
//             programmability and scalability, 2014; that an activation is a node in the graph of
//             futures is ours
// Sketch:     passive: the owner comes to a message; it keeps that in left, sends the message that
//             makes the state, and leaves the unit, which is in no queue and stays owned
//             activating: that message has an outcome; whoever wakes its waiter is the owner now.
//             It writes the state and queues the unit: left comes first. Or it notes the failure,
//             and the unit is passive: the next owner fails what comes before retry
//             active: a message of the kind, stopping, comes in its turn; OnStop; the state is
//             dropped, and the unit is passive
// Invariants: I1 Only the owner changes the phase, so no unit has two states, and none is dropped
//             while an operation runs.
//             I2 An operation runs only while the unit is active. One on several units that has
//             come to a unit whose state could not be made fails.
//             I3 A unit that is active is in the table. One that is passive is there as long as it
//             is anywhere, so there is one unit of a key.
// Progress:   A message to a unit that is activating waits for the function that makes the state,
//             as a message waits for a future. The graph of futures has both edges (kind_cycle.go).
// Publish:    the state is written before the unit is queued, and read by its next owner
// Cost:       one load and a compare for each message; a store the first time in a tick. An
//             activation is a message of a free operation, and one allocation
// Checked by: TestKindLosesNothing, TestKindStress, TestKind…

// The phases of a unit of a kind.
const (
	passive    uint32 = iota // without state
	activating               // the state is being made; the unit lies still
	active
)

// activationFailure is an attempt to make a state that has failed.
type activationFailure struct {
	err   error
	times int       // failures of the kind's function in a row
	retry time.Time // until then messages fail with err
}

// The time in which messages fail after an activation has failed: it doubles with each failure.
const (
	leastBackOff = 10 * time.Millisecond
	mostBackOff  = 10 * time.Second
)

func (x *keyed) is(phase uint32) bool { return x.phase.Load() == phase }

// use notes that the unit is in use. Owner only.
func (x *keyed) use() {
	if now := uint32(x.settings.home.now.Load()); x.used.Load() != now {
		x.used.Store(now)
	}
	if !x.marked.Load() {
		x.marked.Store(true)
	}
}

// rouse decides what is done with a message to a unit that is not active. The caller, the unit's
// owner, has dequeued it.
func (x *keyed) rouse(w *worker, u *unit, m *message) taken {
	h := x.settings.home
	if u.rt.phase.Load() >= aborting {
		return ready // it will fail
	}
	err := x.refusal(u)
	if err == nil && x.isStopped() {
		return ready // it will fail, too
	}
	if err != nil {
		if m.Kind == &multiPartVtable.Kind {
			return ready // the whole message will fail, once it has all its units: multi.stopped
		}
		x.leavesLimit()
		m.vtable().fail(w, m, err)
		return onward
	}
	x.left.Set(m)
	x.phase.Store(activating)
	if b := x.limit; b != nil {
		b.stall()
	}
	if !h.enter() {
		if h.ask(w, u) {
			return gone
		}
		h.active.Add(1)
	}
	w.hand(u.rt, h.kind.activate(w, u)) // the caller drains the unit, and returns at once
	return gone
}

// turnAway makes a unit passive again that was to become active, and has it go on: its messages
// fail with err for the least back-off, however often that happens. For a store that is down, one
// waits longer each time; room may be there at any moment. The caller is the owner of the unit,
// which lies still.
func (x *keyed) turnAway(w *worker, u *unit, err error) {
	f := &activationFailure{err: err, retry: u.rt.env.now().Add(leastBackOff)}
	if last := x.failed(); last != nil {
		f.times = last.times
	}
	x.withRare().failed = f
	x.phase.Store(passive)
	x.settings.home.kind.release(u)
	u.roused(w)
}

// roused has a unit go on that has lain still for its activation.
func (u *unit) roused(w *worker) {
	if b := u.ext.Load().limit; b != nil {
		b.stalled.Store(false)
	}
	u.goOn(w)
}

// refusal returns the error of the last activation if it is too early for another one.
func (x *keyed) refusal(u *unit) error {
	if f := x.failed(); f != nil && u.rt.env.now().Before(f.retry) {
		return f.err
	}
	return nil
}

// lacking returns the error of an operation on several units that has come to this one, which is
// not active; nil if it is. The unit's owner.
func (x *keyed) lacking() error {
	switch {
	case x.is(active):
		return nil
	case x.failed() != nil:
		return x.failed().err
	}
	return ErrClosed // only the end of the runtime gives a unit without state and failure away
}

// activation is the message that makes the state of a unit, and what waits for it.
type activation[K comparable, S any] struct {
	made   sendMessage[K, S]
	waiter message
}

// activationOf returns the activation that waiter is a part of.
func activationOf[K comparable, S any](waiter *message) *activation[K, S] {
	return (*activation[K, S])(unsafe.Add(unsafe.Pointer(waiter), -int(unsafe.Offsetof(activation[K, S]{}.waiter))))
}

// assemble makes what is needed once for a kind.
func (k *Kind[K, S]) assemble() {
	d := k.declared
	k.activate, k.clear, k.release, k.key = k.begin, k.forget, k.letGo, k.keyOf
	k.find = finder(k)
	k.woken = waiterVtable("activation", k.activated)

	make := &k.activating.core
	make.declared = d
	k.activating.invoke = func(c *Context, _ unsafe.Pointer, key K) (S, error) {
		u := make.sent.makesFor(c.current)
		s, fresh := &u.ext.Load().settings.home.settings, k.fresh
		if s.fresh != nil {
			fresh = s.fresh.(func(*Context, K) (S, error)) // MadeBy
		}
		if s.store != nil {
			return load(k, c, u, s.store, fresh, key)
		}
		return fresh(c, key)
	}
	complete(&k.activating, d.name, nil)
	make.resultPlan = nil // a state may hold futures
	make.sent.makesFor = func(m *message) *unit { return (*activation[K, S])(unsafe.Pointer(m)).waiter.unit }
	make.notIntercepted()
	k.makes = make.sent
	assembleMaking(k)

	stop := &k.stopping.core
	stop.declared = &declaration{name: d.name + ".stop", full: d.full + ".stop", place: d.place, state: d.state}
	k.stopping.invoke = func(c *Context, to unsafe.Pointer, why stopReason) (bool, error) {
		return k.runStop(c, (*unit)(to), why), nil
	}
	stop.route.Form = route.Control
	complete(&k.stopping, stop.declared.name, nil)
	stop.notIntercepted()
	stop.told.routed = nil // the keeper tells it: a unit that is here and idle
	stop.sent.stateless, stop.told.stateless, stop.told.chore = true, true, true
	k.stop = func(c *Context, u *unit) Future[bool] { return sendTo(&k.stopping, c, u, stopAsked) }
	k.passivate = func(c *Context, u *unit, why stopReason) error { return tellTo(&k.stopping, c, u, why) }
}

// begin makes the message that makes the state, for the caller to queue. The owner of the unit,
// which lies still from now on.
func (k *Kind[K, S]) begin(w *worker, u *unit) *sched.Task {
	x := keyedUnitOf[K, S](u)
	a := &activation[K, S]{}
	a.made.arg = x.entry.Key
	a.waiter.become(k.woken)
	x.hold()
	m := &a.made.result.promised
	m.start(&k.activating.core, &u.rt.free)
	x.keyed.awaits(w, u, m, &a.waiter)
	return &m.Task
}

// awaits counts m, the message that makes the state of u, and has waiter woken by it.
func (x *keyed) awaits(w *worker, u *unit, m *promised, waiter *message) {
	waiter.unit = u
	w.counters.sent.Add(1)
	if w.observed.Load() != 0 {
		w.sending(m.unit, &m.message)
	}
	m.push(waiter)
	x.still.Store(m) // from here on it is in the graph
}

// activated goes on with a unit whose activation has an outcome. The caller is the owner now.
func (k *Kind[K, S]) activated(w *worker, waiter *message) {
	x := keyedUnitOf[K, S](waiter.unit)
	u, h := &x.unit, x.keyed.settings.home
	a := activationOf[K, S](waiter)
	x.keyed.still.Store(nil)
	if _, err := a.made.result.promised.Outcome(); err == nil {
		x.state = a.made.result.value
		if r := x.keyed.rare.Load(); r != nil {
			r.failed, r.faulted = nil, nil
		}
		x.keyed.use()
		x.keyed.phase.Store(active)
		h.stats.activations.Add(1)
		h.keep(w, u, false)
	} else {
		x.keyed.fail(u.rt.env.now(), &ActivationError{Kind: k.declared.name, Key: x.entry.Key, Err: err})
		k.becomePassive(x)
		h.stats.failures.Add(1)
	}
	u.roused(w)
}

// fail notes that an activation has failed.
func (x *keyed) fail(now time.Time, err error) {
	f := &activationFailure{err: err, times: 1}
	if last := x.failed(); last != nil {
		f.times = last.times + 1
	}
	f.retry = now.Add(min(leastBackOff<<min(f.times-1, 20), mostBackOff))
	x.withRare().failed = f
}

func (k *Kind[K, S]) becomePassive(x *keyedUnit[K, S]) {
	x.keyed.endTimers()
	if r := x.keyed.rare.Load(); r != nil {
		r.title.Store(nil)
	}
	x.keyed.phase.Store(passive)
	x.keyed.settings.home.active.Add(-1)
	k.letGo(&x.unit)
}

// forget drops the state of an active unit. Owner only.
func (k *Kind[K, S]) forget(u *unit) {
	x := keyedUnitOf[K, S](u)
	x.state = *new(S)
	k.becomePassive(x)
}

// dropState is forget, of the unit's kind, for a state that an operation left by a panic.
func (u *unit) dropState() {
	if x := u.ext.Load().keyed(); x.is(active) {
		x.settings.home.kind.clear(u)
		x.settings.home.leaves(u.rt.detachedWorker(), u)
	}
}

// stopReason is why a unit is to become passive.
type stopReason uint8

const (
	stopAsked stopReason = iota // by Stop
	stopIdle                    // it was not used for long
	stopRoom                    // others need the room
)

// runStop is what the operation stopping does: it makes the unit passive unless it is in use again.
// It reports whether the unit was active.
func (k *Kind[K, S]) runStop(c *Context, u *unit, why stopReason) bool {
	x := keyedUnitOf[K, S](u)
	h := x.keyed.settings.home
	broken := x.keyed.isStopped()
	if why == stopAsked { // a unit that a panic has stopped begins anew
		x.keyed.beginAnew()
	}
	if !x.keyed.is(active) {
		k.letGo(u) // it may never have been active
		return false
	}
	store := h.settings.store
	if why != stopAsked && (x.keyed.inUse(u, why) || store != nil && !store.Leave(u.stored(), &x.state, false)) {
		h.keep(c.here(), u, true)
		return true
	}
	defer func() { // also if the user's function panics: the state was to be dropped
		if store != nil && !broken && !store.Leave(u.stored(), &x.state, true) {
			return
		}
		h.stats.passivations.Add(1) // before the unit is seen to be passive
		if why == stopRoom {
			h.stats.evictions.Add(1)
		}
		k.forget(u)
		x.keyed.tellWatches(Ended{})
		if why == stopAsked || h.asking.Load() > 0 { // the keeper has taken others out of its list
			h.leaves(c.here(), u)
		}
	}()
	if h.settings.stop != nil && !broken {
		h.settings.stop.(func(*Context, K, *S))(c, x.entry.Key, &x.state)
	}
	return true
}

// inUse reports whether the unit was used since the keeper chose it, or is about to be.
func (x *keyed) inUse(u *unit, why stopReason) bool {
	return why == stopRoom && x.marked.Load() || why == stopIdle && !x.idle() || u.hasMore()
}

// name is what reports call the unit of a kind: the kind, and the key. It is made once in an
// activation: a recording asks for it with each message.
func (x *keyed) name(u *unit) string {
	r := x.withRare()
	if title := r.title.Load(); title != nil {
		return *title
	}
	k := x.settings.home.kind
	title := k.declared.name + "(?)" // stays if the key's method String ends its goroutine
	guard("the text of a key", func() { title = fmt.Sprintf("%s(%v)", k.declared.name, k.key(u)) })
	r.title.Store(&title)
	return title
}

// tie has a repetition, which the running operation is about to begin through c, end with the
// activation of its unit. It does nothing if no operation of a unit of a kind runs, nor the one
// that makes its state, or if c is not of that operation.
func (c *Context) tie(t *Timer) {
	if c.worker.Load() == &c.rt.outside {
		return
	}
	now := c.running()
	if now == nil || now.current == nil {
		return
	}
	u := now.current.unit
	if of := now.current.vtable().makesFor; of != nil {
		u = of(now.current)
	}
	if x := u.ext.Load(); x != nil && x.keyed() != nil {
		x.keyed().addTimer(t)
	}
}

// addTimer notes a timer that ends with the activation. The owner, or the operation that makes the
// state, while the unit lies still.
func (x *keyed) addTimer(t *Timer) {
	r := x.withRare()
	if r.timers == nil {
		r.timers = new([]*Timer)
	}
	all := *r.timers
	if len(all) == cap(all) { // those that have ended do not add up
		left := all[:0]
		for _, t := range all {
			if t.entry.State.Load() != timerwheel.Stopped {
				left = append(left, t)
			}
		}
		clear(all[len(left):])
		all = left
	}
	*r.timers = append(all, t)
}

// endTimers stops the timers that end with the activation. As addTimer.
func (x *keyed) endTimers() {
	r := x.rare.Load()
	if r == nil || r.timers == nil {
		return
	}
	for _, t := range *r.timers {
		t.end(stoppedTimer)
	}
	r.timers = nil
}
