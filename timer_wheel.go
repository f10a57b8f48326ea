package freerun

import (
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Source:     the owner queue (L. Quirk, Ownership of a queue for practical lock-free scheduling,
//             2008, section 6), with a timing wheel in the place of the consumer: the call that
//             finds the wheel idle owns it.
// Sketch:     inbox: nil ── idle;  &wheelOwned ── owned;  n2 ─→ n1 ─→ … ── owned, and these came since
//             arm, remove:  CAS(inbox: nil → owned): do it, set the alarm, release;
//                           otherwise add the timer to the inbox
//             release:      CAS(inbox: owned → nil), or take the inbox whole, do what it asks for,
//                           and again
//             alarm rings:  own the wheel, or add ring to the inbox;
//                           the owner fires what is due, and sets the next alarm
//             end:          the same with ending; the owner fails all timers
// Invariants: I1 inbox is nil exactly while the wheel has no owner. I2 slots, armed and alarm are
//             the owner's. I3 a timer whose state is timerSet is in slots, or out and about to be
//             fired by the owner; one that is timerSent is in the inbox. I4 while the wheel has no
//             owner, the alarm is set for an instant not after any timer in slots, or has rung and
//             its goroutine is on its way. I5 ring and ending are each in the inbox once at most,
//             and the node of a timer for its arming or its removal. NOT invariant: that a timer is
//             due when the alarm rings: it may have been stopped.
// Progress:   to arm and to stop is lock-free, and waits for no owner: a CAS fails because another
//             took effect. The owner of a call takes in what others have added, wheelBudget at
//             most, then a goroutine of its own goes on. An owner that stalls delays what is due on
//             its wheel until it goes on; so does a long batch.
// Linearize:  Stop at its CAS on the timer's state (T4), firing at T3
// Publish:    when before the timer's state is timerSet or timerSent; what an owner writes, before
//             its release and after the next one's CAS
// ABA/memory: the inbox is only added to and taken whole. A node may be added again as soon as it
//             was taken. A wheel that is idle holds the timers that are set, and no others: one
//             that was stopped is out when Stop returns, or when the owner has read the inbox.
// Cost:       two compare-and-swaps to arm and two to remove, besides one each on the timer's state
// Checked by: TestExploreTimer…, TestTimer…

// timerWheel has the timers of the goroutines that run on one of Go's Ps. Go's own timer rings when
// the first is due: so the wheel is driven by the clock of a testing/synctest bubble too, and an
// idle runtime has no goroutine for it.
type timerWheel struct {
	inbox atomics.Pointer[mailbox.Node]
	rang  atomics.Bool // ring is in the inbox
	ended atomics.Bool // ending was sent
	rt    *Runtime
	time  wheelTime

	ring, ending mailbox.Node

	// the owner's
	slots  *timerSlots
	armed  int64 // when the alarm rings; timerNever if it is not set
	wanted int64 // when it must ring, for what was added since it was set
	alarm  alarm // nil until it is needed
	due    []*Timer
}

var wheelOwned mailbox.Node

// wheelBudget is how many timers a goroutine that arms or stops one takes in for others.
const wheelBudget = 64

// mostDueKept is how large a batch's list may be to be used again.
const mostDueKept = 4096

// wheelTime is where a wheel has its time from.
type wheelTime interface {
	// elapsed returns the nanoseconds since the wheel was made.
	elapsed() int64
	// newAlarm returns an alarm that calls f, on a goroutine of its own, once d has passed.
	newAlarm(d time.Duration, f func()) alarm
	// spawn runs f on a goroutine of its own.
	spawn(f func())
}

// alarm is what [time.Timer] is.
type alarm interface {
	Reset(d time.Duration) bool
	Stop() bool
}

// sinceThen is the time of a real wheel. In a testing/synctest bubble it is the bubble's.
type sinceThen struct{ origin time.Time }

func (s sinceThen) elapsed() int64 { return int64(time.Since(s.origin)) }

func (sinceThen) newAlarm(d time.Duration, f func()) alarm { return time.AfterFunc(d, f) }

func (sinceThen) spawn(f func()) { go f() }

func newTimerWheel(rt *Runtime, t wheelTime) *timerWheel {
	w := &timerWheel{rt: rt, time: t, armed: timerNever, wanted: timerNever}
	if !rt.deterministic() { // otherwise its timers are the virtual clock's
		w.slots = new(timerSlots)
	}
	return w
}

// wheel returns the wheel of the P that the caller runs on. Goroutines may move, so a wheel may get
// calls from several.
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

// add has t fire at t.when (T1, T2), and reports whether its state was from: otherwise it was
// stopped.
func (w *timerWheel) add(t *Timer, from uint32) bool {
	if !w.own() {
		sent := t.state.CompareAndSwap(from, timerSent)
		if sent && w.push(&t.node) {
			w.release()
		}
		return sent
	}
	set := t.state.CompareAndSwap(from, timerSet)
	if set {
		w.put(t)
	}
	w.release()
	return set
}

// remove takes t out, whose state was timerSet, and is timerStopped.
func (w *timerWheel) remove(t *Timer) {
	if w.own() {
		w.takeOut(t)
		w.release()
	} else if w.push(&t.node) {
		w.release()
	}
}

// own makes the caller the owner, and reports whether it did: false if another is.
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

// giveUp ends the ownership, if nothing has come, and reports whether it did. Owner only, as all
// below.
func (w *timerWheel) giveUp() bool { return w.inbox.CompareAndSwap(&wheelOwned, nil) }

// inOrder takes what has come, and returns the oldest, which leads to the newest.
func (w *timerWheel) inOrder() (oldest *mailbox.Node) {
	for n := w.inbox.Swap(&wheelOwned); n != nil && n != &wheelOwned; {
		older := n.Next()
		n.Link(oldest)
		oldest, n = n, older
	}
	return oldest
}

// put puts t into its slot.
func (w *timerWheel) put(t *Timer) {
	w.slots.add(t)
	w.wanted = min(w.wanted, t.when)
}

// takeOut takes t, which was stopped, out of its slot. An alarm that rings for it does no harm, but
// the last one after the end must not be left.
func (w *timerWheel) takeOut(t *Timer) {
	w.slots.remove(t)
	if w.rt.phase.Load() != running && w.slots.empty() {
		w.disarm()
	}
}

// release does what others ask for meanwhile, sets the alarm, and gives the wheel up.
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

// takeIn does what a node asks for, and returns the one behind.
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
		if t.state.CompareAndSwap(timerSent, timerSet) {
			w.put(t)
		} else { // stopped: in a slot, or before it came there
			w.takeOut(t)
		}
	}
	return behind
}

// setAlarm sees to it that the alarm rings at an instant, or sooner.
func (w *timerWheel) setAlarm(at int64) {
	w.wanted = timerNever
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
	if w.armed != timerNever {
		w.alarm.Stop()
		w.armed = timerNever
	}
}

// rung is what the alarm calls. Any goroutine.
func (w *timerWheel) rung() {
	switch {
	case w.own():
		w.serve(nil)
	case w.rang.CompareAndSwap(false, true) && w.push(&w.ring):
		w.serve(w.inOrder())
	}
}

// end fails all timers that are in the wheel, or has its owner do so, who counts as firing until
// then. Any goroutine.
func (w *timerWheel) end() {
	w.rt.firing.Add(1) // before the end is known to others, who do nothing, and wait for this one
	switch {
	case !w.ended.CompareAndSwap(false, true):
		w.rt.fired()
	case w.push(&w.ending):
		w.serve(w.inOrder())
	}
}

// serve does what was asked for, fires what is due, sets the alarm and gives the wheel up.
func (w *timerWheel) serve(asked *mailbox.Node) {
	for {
		for asked != nil {
			asked = w.takeIn(asked)
		}
		now := w.time.elapsed()
		if w.armed <= now { // it has rung, or its goroutine will find nothing to do
			w.armed = timerNever
		}
		w.fireUntil(now)
		w.setAlarm(w.slots.next())
		if w.giveUp() {
			return
		}
		asked = w.inOrder()
	}
}

// fireUntil fires what is due.
func (w *timerWheel) fireUntil(now int64) {
	due := w.slots.advance(now, w.due)
	if len(due) == 0 {
		return
	}
	w.rt.firing.Add(1)
	defer w.rt.fired()
	s := w.rt.detachedWorker()
	for _, t := range due {
		t.fire(s)
	}
	w.keep(due)
}

// endAll fails all timers, as the runtime ends.
func (w *timerWheel) endAll() {
	defer w.rt.fired() // of end
	all := w.slots.takeAll(w.due)
	for _, t := range all {
		if t.state.CompareAndSwap(timerSet, timerStopped) { // T4
			t.fail(closedTimer)
		}
	}
	w.keep(all)
	w.disarm()
}

// keep keeps a list to use it again.
func (w *timerWheel) keep(list []*Timer) {
	clear(list)
	w.due = list[:0]
	if cap(list) > mostDueKept {
		w.due = nil
	}
}
