package freerun

import (
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pin"
	"github.com/freerun-go/freerun/internal/timerwheel"
)

// Source:     the owner queue (L. Quirk, Ownership of a queue for practical lock-free scheduling,
//             2008, section 6), with a timing wheel in the place of the consumer: the call that
//             finds the wheel idle owns it.
// Sketch:     inbox: nil ── idle;  &wheelOwned ── owned;  n2 ─→ n1 ─→ … ── owned, with requests
//             arm, remove:  CAS(inbox: nil → owned): do it, set the alarm, release;
//                           otherwise add the timer to the inbox
//             release:      CAS(inbox: owned → nil); if that fails, take the inbox whole, do what
//                           it asks for, and try again
//             alarm rings:  own the wheel, or add ring to the inbox;
//                           the owner fires the due timers, and sets the next alarm
//             end:          the same with ending; the owner fails all timers
// Invariants: I1 inbox is nil exactly while the wheel has no owner.
//             I2 slots, armed and alarm belong to the owner.
//             I3 A timer in state Set is in slots, or the owner has taken it out and is about to
//                fire it. A timer in state Sent is in the inbox.
//             I4 While the wheel has no owner, the alarm is set for an instant not after any timer
//                in slots, or has rung and its goroutine is on its way.
//             I5 ring and ending are each in the inbox once at most. So is the node of a timer, for
//                its arming or its removal.
//             NOT invariant: that a timer is due when the alarm rings. It may have been stopped.
// Progress:   Arming and stopping are lock-free, and wait for no owner: a CAS fails because another
//             one took effect. A caller that owns the wheel takes in at most wheelBudget requests
//             of others; then a new goroutine goes on. An owner that stalls delays the due timers
//             of its wheel; so does a long batch.
// Linearize:  Stop at its CAS on the timer's state (T4), firing at T3
// Publish:    Entry.When is written before the timer's state becomes Set or Sent. The writes of an
//             owner come before its release, and so before the next owner's CAS.
// ABA/memory: The inbox is only added to and taken whole. A node may be added again as soon as it
//             was taken. An idle wheel holds the timers that are set, and no others: a stopped
//             timer is out when Stop returns, or when the owner has read the inbox.
// Cost:       two compare-and-swaps to arm and two to remove, besides one each on the timer's state
// Checked by: TestExploreTimer…, TestTimer…

// timerWheel holds the timers made by goroutines on one of Go's Ps. A timer of Go's, the alarm,
// rings when the first of them is due. So the clock of a testing/synctest bubble drives the wheel
// too, and an idle runtime has no goroutine for it.
type timerWheel struct {
	inbox atomics.Pointer[mailbox.Node] // nil, &wheelOwned, or the newest request to the owner
	rang  atomics.Bool                  // ring is in the inbox
	ended atomics.Bool                  // ending was sent
	rt    *Runtime
	time  wheelTime

	ring, ending mailbox.Node // the requests of rung and of end

	// The owner's.
	slots  *timerwheel.Slots
	armed  int64               // when the alarm rings; timerwheel.Never if it is not set
	wanted int64               // the soonest timer put into slots since the alarm was set
	alarm  alarm               // nil until first needed
	due    []*timerwheel.Entry // empty; kept for its memory
}

// wheelOwned is the end of the inbox of a wheel that has an owner.
var wheelOwned mailbox.Node

// wheelBudget is how many requests of others a goroutine that arms or stops a timer takes in.
const wheelBudget = 64

// mostDueKept is the largest capacity of a list of due timers that is kept for reuse.
const mostDueKept = 4096

// wheelTime is the source of a wheel's time.
type wheelTime interface {
	// elapsed returns the nanoseconds since the wheel was made.
	elapsed() int64
	// newAlarm returns an alarm that calls f, on a goroutine of its own, once d has passed.
	newAlarm(d time.Duration, f func()) alarm
	// spawn runs f on a goroutine of its own.
	spawn(f func())
}

// alarm has the methods of [time.Timer] that a wheel calls.
type alarm interface {
	Reset(d time.Duration) bool
	Stop() bool
}

// sinceThen is Go's time since the wheel was made; in a testing/synctest bubble, the bubble's.
type sinceThen struct{ origin time.Time }

func (s sinceThen) elapsed() int64 { return int64(time.Since(s.origin)) }

func (sinceThen) newAlarm(d time.Duration, f func()) alarm { return time.AfterFunc(d, f) }

func (sinceThen) spawn(f func()) { go f() }

func newTimerWheel(rt *Runtime, t wheelTime) *timerWheel {
	return &timerWheel{rt: rt, time: t, slots: new(timerwheel.Slots), armed: timerwheel.Never, wanted: timerwheel.Never}
}

// wheel returns the wheel of the P that the caller runs on. The caller is not pinned to it, so
// several goroutines may call the methods of one wheel at the same time.
func (rt *Runtime) wheel() *timerWheel {
	i := pin.Pin()
	pin.Unpin()
	slot := &rt.wheels[i%len(rt.wheels)]
	if w := slot.Load(); w != nil {
		return w
	}
	slot.CompareAndSwap(nil, newTimerWheel(rt, sinceThen{time.Now()}))
	return slot.Load()
}

// add has t fire at t.entry.When (T1, T2), and reports whether its state was from. Otherwise t was
// stopped.
func (w *timerWheel) add(t *Timer, from uint32) bool {
	if !w.own() {
		sent := t.entry.State.CompareAndSwap(from, timerwheel.Sent)
		if sent && w.push(&t.entry.Node) {
			w.release()
		}
		return sent
	}
	set := t.entry.State.CompareAndSwap(from, timerwheel.Set)
	if set {
		w.put(t)
	}
	w.release()
	return set
}

// remove takes t out. The caller has changed its state from Set to Stopped.
func (w *timerWheel) remove(t *Timer) {
	if w.own() {
		w.takeOut(t)
		w.release()
	} else if w.push(&t.entry.Node) {
		w.release()
	}
}

// own makes the caller the owner, and reports whether it did: false if the wheel has an owner.
func (w *timerWheel) own() bool {
	return w.inbox.Load() == nil && w.inbox.CompareAndSwap(nil, &wheelOwned)
}

// push adds n to the inbox, and reports whether the caller is the owner now.
func (w *timerWheel) push(n *mailbox.Node) bool {
	for {
		h := w.inbox.Load()
		n.Link(h)
		if w.inbox.CompareAndSwap(h, n) {
			return h == nil
		}
	}
}

// giveUp ends the ownership if the inbox has no request, and reports whether it did. Only the owner
// calls it.
func (w *timerWheel) giveUp() bool { return w.inbox.CompareAndSwap(&wheelOwned, nil) }

// inOrder takes the requests out of the inbox and returns the oldest, linked up to the newest. Only
// the owner calls it.
func (w *timerWheel) inOrder() (oldest *mailbox.Node) {
	for n := w.inbox.Swap(&wheelOwned); n != nil && n != &wheelOwned; {
		older := n.Next()
		n.Link(oldest)
		oldest, n = n, older
	}
	return oldest
}

// put puts t into its slot. Only the owner calls it.
func (w *timerWheel) put(t *Timer) {
	w.slots.Add(&t.entry)
	w.wanted = min(w.wanted, t.entry.When)
}

// takeOut takes t, which was stopped, out of its slot. An alarm that rings for a stopped timer does
// no harm. But a runtime that has ended must leave no alarm, so the last timer out takes it along.
// Only the owner calls it.
func (w *timerWheel) takeOut(t *Timer) {
	w.slots.Remove(&t.entry)
	if w.rt.phase.Load() != running && w.slots.Empty() {
		w.disarm()
	}
}

// release sets the alarm and gives the wheel up, after it has done what the inbox asks for. Beyond
// wheelBudget requests, and for a ring or an ending, a new goroutine takes the ownership over. Only
// the owner calls it.
func (w *timerWheel) release() {
	for taken := 0; ; {
		w.setAlarm(w.wanted)
		if w.giveUp() {
			return
		}
		for n := w.inOrder(); n != nil; taken++ {
			if taken >= wheelBudget || n == &w.ring || n == &w.ending {
				w.rt.firing.Add(1)
				w.time.spawn(func() {
					defer w.rt.fired()
					w.serve(n)
				})
				return
			}
			n = w.takeIn(n)
		}
	}
}

// takeIn does what request n asks for, and returns the next one. Only the owner calls it.
func (w *timerWheel) takeIn(n *mailbox.Node) (behind *mailbox.Node) {
	behind = n.Next()
	n.Link(nil)
	switch n {
	case &w.ring:
		w.rang.Store(false)
	case &w.ending:
		w.endAll()
	default:
		t := (*Timer)(unsafe.Pointer(n))
		if t.entry.State.CompareAndSwap(timerwheel.Sent, timerwheel.Set) {
			w.put(t)
		} else { // stopped: after it was put into a slot, or before
			w.takeOut(t)
		}
	}
	return behind
}

// setAlarm makes sure that the alarm rings at instant at, or sooner. Only the owner calls it.
func (w *timerWheel) setAlarm(at int64) {
	w.wanted = timerwheel.Never
	if at >= w.armed {
		return
	}
	w.armed = at
	d := time.Duration(max(0, at-w.time.elapsed()))
	if w.alarm == nil {
		w.alarm = w.time.newAlarm(d, w.rung)
	} else {
		w.alarm.Reset(d)
	}
}

func (w *timerWheel) disarm() {
	if w.armed != timerwheel.Never {
		w.alarm.Stop()
		w.armed = timerwheel.Never
	}
}

// rung fires the due timers, or asks the owner to. The alarm calls it on a goroutine of its own.
func (w *timerWheel) rung() {
	switch {
	case w.own():
		w.serve(nil)
	case w.rang.CompareAndSwap(false, true) && w.push(&w.ring):
		w.serve(w.inOrder())
	}
}

// end fails all timers in the wheel, or has its owner do so. The end counts as firing until that is
// done. Any goroutine may call it.
func (w *timerWheel) end() {
	// Counted before ended is set: later callers of end do nothing and wait for this count.
	w.rt.firing.Add(1)
	switch {
	case !w.ended.CompareAndSwap(false, true):
		w.rt.fired()
	case w.push(&w.ending):
		w.serve(w.inOrder())
	}
}

// serve does the requests that lead from asked, fires the due timers, sets the alarm and gives the
// wheel up. Only the owner calls it.
func (w *timerWheel) serve(asked *mailbox.Node) {
	for {
		for asked != nil {
			asked = w.takeIn(asked)
		}
		now := w.time.elapsed()
		if w.armed <= now { // the alarm has rung, or its goroutine will find nothing to do
			w.armed = timerwheel.Never
		}
		w.fireUntil(now)
		w.setAlarm(w.slots.Next())
		if w.giveUp() {
			return
		}
		asked = w.inOrder()
	}
}

// fireUntil fires the timers that are due at now.
func (w *timerWheel) fireUntil(now int64) {
	due := w.slots.Advance(now, w.due)
	if len(due) == 0 {
		return
	}
	w.rt.firing.Add(1)
	defer w.rt.fired()
	on := w.rt.detachedWorker()
	for _, e := range due {
		timerOf(e).fire(on)
	}
	w.keep(due)
}

// endAll fails all timers at the end of the runtime.
func (w *timerWheel) endAll() {
	defer w.rt.fired() // pairs with the count in end
	all := w.slots.TakeAll(w.due)
	for _, e := range all {
		if e.State.CompareAndSwap(timerwheel.Set, timerwheel.Stopped) { // T4
			timerOf(e).fail(closedTimer)
		}
	}
	w.keep(all)
	w.disarm()
}

// keep clears a list of timers and keeps it for reuse, unless it is too large.
func (w *timerWheel) keep(list []*timerwheel.Entry) {
	clear(list)
	w.due = list[:0]
	if cap(list) > mostDueKept {
		w.due = nil
	}
}
