package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Unit is state with exclusion: only operations sent to the unit touch it, one of them runs at a
// time, and each sees what the earlier ones wrote. A unit belongs to one runtime, costs 88 bytes
// beside its state, needs no closing, and is collected as garbage when nothing refers to it. Make
// it with [NewUnit]; do not copy it. Any goroutine may send to it.
type Unit[S any] struct {
	_     scan.Opaque // of no size
	unit  unit        // must be first: code that does not know S has a *unit only
	state S
}

// NewUnit returns a unit of rt with the given state, which from then on belongs to the unit's
// operations. Any goroutine may call it; it does not wait. It panics if rt is nil or zero, if an
// option is the zero UnitOption, or if an option is for another type of state.
func NewUnit[S any](rt *Runtime, state S, options ...UnitOption) *Unit[S] {
	if rt == nil || rt.scheduler == nil {
		panic("freerun: NewUnit with a nil or zero Runtime; make runtimes with New")
	}
	u := &Unit[S]{state: state}
	u.unit.rt = rt
	u.unit.Kind = unitVtable
	if len(options) > 0 {
		u.unit.apply(options, reflect.TypeFor[S]())
		u.unit.keepUntilEnd(func(u *unit) { *stateOf[S](unsafe.Pointer(u)) = *new(S) })
	}
	if rt.around != nil {
		u.unit.extend().interceptedBy(rt)
	}
	if len(options) > 0 {
		u.unit.ext.Load().noteUse(&u.unit)
	}
	return u
}

// UnitName gives a unit a name, for reports of the runtime.
func UnitName(name string) UnitOption {
	return UnitOption{func(x *unitExt, _ reflect.Type) { x.set().name = name }}
}

// UnitStats are the figures of one unit.
type UnitStats struct {
	Operations uint64 // run so far
	Steals     uint64 // times that a processor took the unit from another one's queue

	// Waiting is how many messages are in the mailbox. Messages that were given up or canceled
	// count until the unit comes to them. It is 0 for a unit without a [MailboxLimit].
	Waiting int
	// Peak is the most that Waiting ever was. It is 0 for a unit without a [MailboxLimit].
	Peak int
	// HeldBack says that the unit is held back by a full mailbox to which it has sent. It is known
	// of every unit, with or without a limit.
	HeldBack bool
	// Restarts is how many times the unit was restarted: see [RestartOnPanic].
	Restarts int
	// BackingOff says that the unit lies still after a restart: see [BackOff].
	BackingOff bool
	// Suspended says that the unit lies still until a future has an outcome: see [Suspend].
	Suspended bool
}

// Stats returns the unit's figures. Any goroutine; the figures may lag behind operations that run.
func (u *Unit[S]) Stats() UnitStats {
	if u == nil || u.unit.rt == nil {
		panic("freerun: Stats of a nil or zero Unit; make units with NewUnit")
	}
	s := UnitStats{Operations: u.unit.operations.Load(), Steals: u.unit.steals.Load()}
	if x := u.unit.ext.Load(); x != nil {
		x.fill(&u.unit, &s)
	}
	return s
}

// unit is the part of a [Unit] that does not depend on the type of its state. It is a task of the
// scheduler; a processor that runs the task owns the mailbox.
//
// Its life: idle; a send finds the mailbox idle and queues the unit; a processor takes the unit
// and drains the mailbox, up to drainLimit messages; then the processor queues the unit again
// behind the others, or gives the mailbox up, which is idle then. So a unit is in at most one
// queue at a time, and therefore can be stolen safely. A unit with priority mailboxes is more than
// one task: unit_priority.go.
type unit struct {
	sched.Task
	rt      *Runtime
	mailbox mailbox.Queue
	ext     atomics.Pointer[unitExt] // nil for most units
	// finished is the message that was run last, if it is the newest in the mailbox: it may be used
	// again only after the next Dequeue. The owner reads and writes it.
	finished   *message
	operations atomics.RelaxedUint64 // written by the owner
	steals     atomics.RelaxedUint64 // written by the thief, between two owners
}

const (
	drainLimit    = 128 // how many messages a processor runs before other units get their turn
	drainLimitLow = 16  // the same, for units of Low or Idle
	drainGlance   = 16  // after how many messages it looks whether to give way to another priority

	// mostTurned is how many messages of a long mailbox are brought into order at a time. Out of
	// the caches, that is as much work as to run a drainLimit of short operations.
	mostTurned = 1024
)

var unitVtable = &sched.Kind{Run: drain, Stolen: countSteal, Discard: discardUnit}

// isUnit reports whether a task is a unit: the vtable of a message has no Stolen.
func isUnit(t *sched.Task) bool { return t.Kind.Stolen != nil }

func unitOf(t *sched.Task) *unit { return (*unit)(unsafe.Pointer(t)) }

// unitRunBy returns the unit that a task runs: the task is the unit itself or one of its priority
// mailboxes. It returns nil if the task is a message.
func unitRunBy(t *sched.Task) *unit {
	switch {
	case isUnit(t):
		return unitOf(t)
	case t.Kind == &priorityMailboxVtable:
		return priorityMailboxOf(t).all.unit
	}
	return nil
}

func countSteal(t *sched.Task) { unitOf(t).steals.Add(1) }

// A message comes into a mailbox in one of four ways:
//
//	deliver        any message to one unit: the unit's route and options, and the message's
//	               priority choose the mailbox, or refuse the message, or take it elsewhere
//	enqueue        the unit's own mailbox: for a message without lineage to a unit without
//	               unitExt (dispatch checks that by two loads), for a message that deliver puts
//	               here, for the token
//	enqueueBehind  the same, while the newest message there is a part of one to several units
//	multi.push     the parts themselves (multi_place.go)

// deliver puts a message into one of the unit's mailboxes, and queues that if it was idle. It
// returns an error if the unit does not take the message. from is the sender if the sender itself
// delivers the message, during the send; otherwise nil.
func (u *unit) deliver(w *worker, m *message, from *sender) error {
	x := u.ext.Load()
	if x != nil && x.has().route != nil {
		var here bool
		var err error
		if from, here, err = u.routed(w, x, m, from); !here {
			return err
		}
	}
	if x != nil && x.limit != nil && !m.vtable().stateless {
		if err := x.limit.admit(w, m, from); err != nil {
			return err
		}
	}
	if x != nil && x.has().own {
		m.lineage.Store(m.lineage.Load().at(u.rt, x.settings.priority))
		u.enqueue(w, m)
	} else if p := m.priority(); p == sched.Normal {
		u.enqueue(w, m)
	} else if e := &u.withPriorityMailboxes(w).boxes[p]; e.mailbox.Enqueue(&m.Node) {
		w.queueNext(u.rt, p, &e.Task)
	}
	if from == nil {
		u.lookForCycle(w)
	}
	return nil
}

// enqueue puts a message into the unit's own mailbox, which is that of Normal if the unit has
// priority mailboxes, and queues the unit if the mailbox was idle.
func (u *unit) enqueue(w *worker, m *message) {
	wasIdle, marked := u.mailbox.EnqueueUnmarked(&m.Node) // internal/mailbox/queue.go
	if marked {
		wasIdle = u.enqueueBehind(w, m)
	}
	switch {
	case !wasIdle:
	case w.at(u.rt) && u.ext.Load() == nil: // the usual case of queue, which Go does not inline
		w.processor.PushNext(&u.Task)
	default:
		u.queue(w)
	}
}

// queue hands the unit, whose mailbox the caller owns, to the scheduler.
func (u *unit) queue(w *worker) { w.queueNext(u.rt, u.priority(), &u.Task) }

// goOn queues the unit, which the caller owns, behind the others.
func (u *unit) goOn(w *worker) {
	if x := u.priorityMailboxes(); x != nil {
		x.claim.Join(uint8(sched.Normal)) // if the priority mailboxes were made while the unit ran
		x.yield(w)
		return
	}
	w.queueBack(u.rt, u.priority(), &u.Task)
}

// drain runs the messages of a unit whose mailbox this processor owns. Its loop has dequeue and
// runOne written out for units without a unitExt, the usual case. A unit may get a unitExt during
// any message.
func drain(p *sched.Processor, t *sched.Task) {
	w, u, h := workerOf(p), unitOf(t), p.Host()
	if w.watched {
		w.unit.Store(u)
	}
	for left := uint(drainLimit); left > 0; left-- {
		if u.ext.Load() != nil {
			u.drainWithExt(p, w, h, left)
			return
		}
		m := messageOf(u.mailbox.DequeueInOrder()) // dequeue, written out
		if m == nil {
			var later bool
			if m, later = dequeueNew(w, &u.mailbox, &u.finished); later {
				break
			}
			if m == nil {
				return
			}
		}
		if m.vtable().take != nil {
			if p, w = u.runOne(p, w, h, m); p == nil {
				return
			}
			continue
		}
		u.operations.Add(1)
		m.Kind.Run(p, &m.Task)
		if h.Processor() != p || w.pressed != nil || h.Locked() {
			if p, w = u.afterOne(p, w, h); p == nil {
				return
			}
		}
		if (left%drainGlance == 1 || p.LooksUp()) && p.GiveWay(sched.Normal) {
			break
		}
	}
	p.PushBack(t)
}

// drainWithExt is drain for a unit that has a unitExt.
func (u *unit) drainWithExt(p *sched.Processor, w *worker, h *sched.Host, left uint) {
	pr := u.priority()
	left = min(left, uint(limitAt(pr)))
	for ; left > 0; left-- {
		if x := u.priorityMailboxes(); x != nil {
			x.runNormal(p)
			return
		}
		m, later := u.next(w)
		if later {
			break
		}
		if m == nil {
			return
		}
		if p, w = u.runOne(p, w, h, m); p == nil {
			return
		}
		if (left%drainGlance == 1 || pr != sched.Normal || p.LooksUp()) && p.GiveWay(pr) {
			break
		}
	}
	w.queueBack(u.rt, pr, &u.Task)
}

// next returns the next message of the unit's own mailbox. It returns nil and false if there is
// none: the caller no longer owns the unit then. It returns nil and later if other units must have
// their turn before the message is found: the caller is still the owner.
func (u *unit) next(w *worker) (m *message, later bool) {
	if x := u.ext.Load(); x != nil {
		if m := x.left.Take(); m != nil {
			return m, false
		}
	}
	return dequeue(w, &u.mailbox, &u.finished)
}

// dequeue takes the next message from a mailbox, and recycles the previous one if it is kept in
// finished. It returns as next does.
func dequeue(w *worker, box *mailbox.Queue, finished **message) (m *message, later bool) {
	// DequeueInOrder finds none while *finished is set: that message is the newest in the mailbox.
	if n := box.DequeueInOrder(); n != nil {
		return messageOf(n), false
	}
	return dequeueNew(w, box, finished)
}

func dequeueNew(w *worker, box *mailbox.Queue, finished **message) (m *message, later bool) {
	again := *finished
	if again != nil {
		// Before DequeueNew: afterwards the mailbox may be another processor's.
		*finished = nil
	}
	n, later := box.DequeueNew(mostTurned)
	if again != nil {
		again.vtable().recycle(w, again)
	}
	if n == nil {
		return nil, later
	}
	return messageOf(n), false
}

// taken is the result of [unit.take].
type taken uint8

const (
	ready  taken = iota // the message has the unit to itself, and is to be run
	onward              // the message was dealt with: the caller goes on with the next
	gone                // the caller no longer owns the unit
)

// take decides what is done with a message that the caller, the unit's owner, has dequeued.
func (u *unit) take(w *worker, m *message) taken {
	x, k := u.ext.Load(), m.vtable()
	if x != nil && !k.shared && !x.alone(m) {
		return gone
	}
	if x != nil && !k.stateless {
		switch of := x.keyed(); {
		case of == nil:
		case of.is(active):
			of.use()
		default:
			if t := of.rouse(w, u, m); t != ready {
				return t
			}
		}
	}
	if k.take != nil {
		return k.take(w, u, m)
	}
	if x != nil && !k.stateless && x.takeOut(w, m) {
		return onward
	}
	return ready
}

// runOne runs a message of the unit, on processor p with its worker w and host h. It returns the
// processor on which the caller goes on, and its worker; nil if the caller no longer owns the
// unit.
func (u *unit) runOne(p *sched.Processor, w *worker, h *sched.Host, m *message) (*sched.Processor, *worker) {
	switch u.take(w, m) {
	case gone:
		return nil, nil
	case onward:
		return p, w
	}
	u.operations.Add(1)
	if u.interceptors() != nil {
		m.surround()
	}
	m.Kind.Run(p, &m.Task)
	return u.afterOne(p, w, h)
}

// afterOne is called after a message was run, and returns the same as runOne.
func (u *unit) afterOne(p *sched.Processor, w *worker, h *sched.Host) (*sched.Processor, *worker) {
	if now := h.Processor(); now != p {
		if now == nil { // the operation has left the processor
			u.goOn(u.rt.detachedWorker())
			return nil, nil
		}
		p, w = now, workerOf(now)
	}
	if w.pressed != nil && u.muteForPressed(w) {
		return nil, nil
	}
	// The operation has locked its goroutine to a thread. Another one must not run on this host.
	if h.Locked() {
		u.goOn(w)
		return nil, nil
	}
	return p, w
}
