package freerun

import (
	"errors"
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own; for the outcomes and messages of one operation together, the output gate of
//             Cloudflare's Durable Objects
// Sketch:     an operation whose outcome is kept back (route_hold.go) sends: the message is
//             counted, here and in its scope, and kept
//             the outcome is given free, as what the operation has returned: what is kept leaves,
//             in the order of sending, before the outcome is known
//             it is given free as an error, or the operation has panicked, or runs again: what is
//             kept is withdrawn. Its futures fail, and nothing tells of it as lost or failed
// Invariants: I1 Who knows the outcome of an operation finds what it has sent on its way.
//             I2 The operation's goroutine alone adds to kept; afterwards kept belongs to whoever
//             makes the outcome known (I1 of route_hold.go).
//             I3 Whatever is kept leaves once, or is withdrawn once.
// Progress:   wait-free
// Cost:       a message that is kept is an allocation more. One that is sent through a context with
//             a scope, a priority or values costs two loads more, kept or not. All others cost
//             nothing: what is to be kept is found where a scope is entered, and parts from the way
//             of others where one is refused
// Checked by: TestKept…; of package cluster TestGate…; of package clustertest TestCriers
//
// An operation that is kept back sends through a context with a key, in any case: one that would
// have none gets a key of no scope, no priority and no values. So what it sends through
// Runtime.Context leaves at once. What it sends to a unit with a route is the route's matter.

// kept is something that an operation has sent, and that is kept until its outcome is known.
type kept interface {
	open(w *worker)
	withdraw(w *worker)
}

// errKept says that a message was counted, and waits for the outcome of the operation that sends
// it.
var errKept = errors.New("freerun: the message is kept")

// errWithdrawn is the error of what an operation has sent that was undone.
var errWithdrawn error = &canceledError{Cause: errors.New("the operation that has sent it was undone")}

// keepingKey returns the key of the contexts of operations that are kept back and have no other.
func (rt *Runtime) keepingKey() *contextKey { return keyIn(&rt.keeps, rt, nil, sched.Normal) }

// keepingOn returns c, or if it has no key the context from which what is sent is kept.
func (c *Context) keepingOn() *Context {
	if c.key != nil {
		return c
	}
	return c.onward(nil)
}

// keeping returns what keeps the outcome of the operation back that sends from w through a context
// with a key; nil if nothing does.
func (w *worker) keeping() *held {
	switch {
	case w.processor != nil:
		return w.active.Load().held
	case w.rt.keeps.Load() == nil: // nothing was ever kept back
		return nil
	}
	return w.holding()
}

// isKept reports whether m, which is about to be sent from w, is to be kept. It has its argument.
func (w *worker) isKept(m *message) bool {
	h := w.keeping()
	if h == nil || !h.keeps(m) {
		return false
	}
	if w.observed.Load() != 0 {
		w.sending(m.unit, m)
	}
	return true
}

// keeps reports whether m is to be kept, which the operation sends.
func (h *held) keeps(m *message) bool {
	k := m.vtable()
	switch {
	case k.outside, k.harmless:
		return false
	case h.of.of.route.Form == route.Read: // what it has seen may be undone
		return true
	}
	return !m.meetsRoute(k)
}

// meetsRoute reports whether a route is asked about m at once.
func (m *message) meetsRoute(k *vtable) bool {
	o := k.routed
	switch {
	case o == nil || o.route.Form == route.Control || !m.unit.hasRoute() || m.unit.ext.Load().settings.behind:
		return false
	case o.argPlan == nil:
		return true
	}
	waits, err := firstOpen(o.argPlan, o.argIn(m, k.routedTold))
	return waits == nil && err == nil
}

// refusedWaiting asks the route of its unit about m, which is kept as it waits for futures; nil if
// m does not, or may. A route that stores what an operation sends cannot store those.
func (w *worker) refusedWaiting(m *message) error {
	k, u, by := m.vtable(), m.unit, w.keeping()
	if o := k.routed; o == nil || o.argPlan == nil || o.route.Form == route.Control || !u.hasRoute() {
		return nil
	}
	if q := u.ext.Load().settings.quick; q != nil && q.Stays(&k.routed.route, by) {
		return nil
	}
	return u.askedAhead(w, m)
}

func (u *unit) hasRoute() bool {
	x := u.ext.Load()
	return x != nil && x.has().route != nil
}

// keep keeps what the operation sends that runs now on w's goroutine.
func (w *worker) keep(g kept) {
	h := w.keeping()
	h.kept = append(h.kept, g)
}

// letGo has what is kept leave.
func (h *held) letGo() {
	if h.kept != nil {
		w := h.rt.detachedWorker()
		for _, g := range h.takeKept() {
			g.open(w)
		}
	}
}

// withdraw ends what is kept.
func (h *held) withdraw() {
	if h.kept != nil {
		w := h.rt.detachedWorker()
		for _, g := range h.takeKept() {
			g.withdraw(w)
		}
	}
}

func (h *held) takeKept() []kept {
	all := h.kept
	h.kept = nil
	return all
}

// leaves gives a message that leaves the lineage that it has from then on.
func (m *message) leaves() {
	if o := m.lineage.Load(); o.keyOf() == m.unit.rt.keeps.Load() {
		m.lineage.Store(nil)
	}
}

// keptSend is a message with a future that is kept.
type keptSend struct {
	of *core
	m  *promised
}

// keepSend keeps a message with a future.
func (w *worker) keepSend(o *core, m *promised) {
	m.lead(promise.Elsewhere(), true)
	w.keep(&keptSend{o, m})
}

func (g *keptSend) open(w *worker) {
	if g.mayLeave(w) {
		g.of.launch(w, g.m, nil)
	}
}

// mayLeave reports whether the message is to go on. If not, it has ended: it was canceled.
func (g *keptSend) mayLeave(w *worker) bool {
	if !g.m.lead(g.of.gate, false) {
		g.of.dropRevoked(g.m)
		return false
	}
	if err := g.m.refusalNow(); err != nil {
		g.of.failSend(w, &g.m.message, err)
		return false
	}
	g.m.leaves()
	return true
}

func (g *keptSend) withdraw(w *worker) { g.of.failSend(w, &g.m.message, errWithdrawn) }

// keptTell is a message without a future that is kept.
type keptTell struct {
	of *core
	m  *message
}

func (g *keptTell) open(w *worker) {
	err := g.m.refusalNow()
	if err == nil {
		g.m.leaves()
		if g.of.argPlan == nil {
			err = w.dispatch(g.m, nil)
		} else {
			err = g.of.collectTell(w, g.m, nil)
		}
	}
	if err != nil {
		g.of.failTell(w, g.m, err)
	}
}

func (g *keptTell) withdraw(w *worker) { g.of.failTell(w, g.m, errWithdrawn) }

// keptJob is a job of a Keyed that is kept. It has its places.
type keptJob struct {
	keptSend
	ofKey *mailboxLimit // nil without a limit
}

// keepJob keeps a job that has its places.
func (w *worker) keepJob(o *core, m *promised, ofKey *mailboxLimit) {
	m.lead(promise.Elsewhere(), true)
	w.keep(&keptJob{keptSend{o, m}, ofKey})
}

func (g *keptJob) open(w *worker) {
	if !g.mayLeave(w) {
		g.giveBack()
	} else if err := w.dispatch(&g.m.message, placedSender); err != nil {
		g.of.failSend(w, &g.m.message, err)
	}
}

func (g *keptJob) withdraw(w *worker) {
	g.giveBack()
	g.keptSend.withdraw(w)
}

// giveBack gives the place in the mailbox of the key back. The other one goes with the end of the
// message.
func (g *keptJob) giveBack() {
	if g.ofKey != nil {
		g.ofKey.takeOut()
	}
}

// keptActivity is an activity that is kept, and its host.
type keptActivity struct {
	*activityHost
	at        sched.Priority
	a         *activity.Activity
	withdrawn atomics.Bool
}

// keepActivity keeps an activity. Others may wait for its end meanwhile.
func (w *worker) keepActivity(host *activityHost, at sched.Priority, a *activity.Activity) {
	g := &keptActivity{activityHost: host, at: at, a: a}
	activities.Claim(a, g)
	w.keep(g)
}

func (g *keptActivity) open(*worker) { activities.Queue(g.a, g.at, g.rt.scheduler, nil) }

// withdraw has the activity be queued, and not begin.
func (g *keptActivity) withdraw(w *worker) {
	g.withdrawn.Store(true)
	g.open(w)
}

// Canceled implements [activityhost.Owner].
func (g *keptActivity) Canceled() error {
	if g.withdrawn.Load() {
		return errWithdrawn
	}
	return g.activityHost.Canceled()
}

// keptTimer is a timer that is kept. It counts its time, and sends nothing before
// the outcome is known. It is itself the target of the timer, in place of target.
type keptTimer struct {
	message // must be first
	timer   *Timer
	target  *message
	step    atomics.Uint32
}

// The steps of a keptTimer.
const (
	timerKept uint32 = iota
	timerDue         // it was due, and is left to the outcome
	timerOpen
	timerWithdrawn
)

// keptTimerVtable is set in init: it leads to functions that lead to it.
var keptTimerVtable *vtable

func init() {
	keptTimerVtable = newVtable(vtable{
		identity: identity{describe: func(m *message) string {
			m = (*keptTimer)(unsafe.Pointer(m)).target
			return m.vtable().describe(m)
		}},
		late: func(w *worker, m *message) { (*keptTimer)(unsafe.Pointer(m)).due(w) },
		unsent: func(w *worker, m *message, why *promise.Failure) {
			m = (*keptTimer)(unsafe.Pointer(m)).target
			if unsent := m.vtable().unsent; unsent != nil {
				unsent(w, m, why)
			}
		},
	}, nil)
}

// keepTimer keeps a timer of a context with a key, which was not begun, if the operation that
// begins it is kept back.
func (w *worker) keepTimer(t *Timer) {
	if w.keeping() == nil {
		return
	}
	g := &keptTimer{timer: t, target: t.target}
	g.unit = t.target.unit
	g.become(keptTimerVtable)
	t.target = &g.message
	w.keep(g)
}

// timed returns the message that a timer sends whose target is m.
func (m *message) timed() *message {
	if m.Kind == &keptTimerVtable.Kind {
		return (*keptTimer)(unsafe.Pointer(m)).target
	}
	return m
}

// due is called when the time has come.
func (g *keptTimer) due(w *worker) {
	if g.step.CompareAndSwap(timerKept, timerDue) {
		return
	}
	g.fire(w, g.step.Load() == timerWithdrawn)
}

// fire sends the message of the timer, or ends it.
func (g *keptTimer) fire(w *worker, withdrawn bool) {
	m := g.target
	switch unsent := m.vtable().unsent; {
	case !withdrawn:
		m.leaves()
		m.vtable().late(w, m)
	case unsent != nil:
		unsent(w, m, withdrawnTimer)
	}
}

func (g *keptTimer) open(w *worker) {
	if !g.step.CompareAndSwap(timerKept, timerOpen) {
		g.step.Store(timerOpen) // the next times of a repetition
		g.fire(w, false)
	}
}

func (g *keptTimer) withdraw(w *worker) {
	if !g.step.CompareAndSwap(timerKept, timerWithdrawn) {
		g.fire(w, true)
	}
	g.timer.end(withdrawnTimer)
}

// withdrawnTimer is the failure of a timer that was withdrawn.
var withdrawnTimer = promise.NewFailure(errWithdrawn)
