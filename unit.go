package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Unit is state with exclusion: it is only ever touched by operations sent to the unit, of which one runs at a time, and
// each sees what the earlier ones wrote. A unit belongs to one runtime, costs 88 bytes beside its state, needs no closing, and
// is collected as garbage when nobody refers to it. Make it with [NewUnit]; do not copy it. Any goroutine may send to it.
type Unit[S any] struct {
	unit  unit
	state S
}

// NewUnit returns a unit of rt with the given state, which from then on belongs to the unit's
// operations. Any goroutine; it does not wait. It panics if rt is nil or zero, if an option is nil,
// or if an option is for another type of state.
func NewUnit[S any](rt *Runtime, state S, options ...UnitOption) *Unit[S] {
	if rt == nil || rt.scheduler == nil {
		panic("freerun: NewUnit with a nil or zero Runtime; make runtimes with New")
	}
	u := &Unit[S]{state: state}
	u.unit.rt = rt
	u.unit.Kind = unitVtable
	if len(options) > 0 {
		u.unit.apply(options, reflect.TypeFor[S]())
	}
	return u
}

// UnitName gives a unit a name, for reports of the runtime.
func UnitName(name string) UnitOption {
	return func(x *unitExt, _ reflect.Type) { x.name = name }
}

// UnitStats are the figures of one unit.
type UnitStats struct {
	Operations uint64 // run so far
	Steals     uint64 // times that a processor took the unit from another one's queue

	// Of a unit with a [Mailbox] limit, 0 otherwise:
	Waiting  int  // messages in the mailbox, also those that were given up or canceled, until the unit comes to them
	Peak     int  // the most that there ever were
	HeldBack bool // the unit is held back by a full mailbox that it has sent to; known of any unit
	// Of a unit with RestartOnPanic:
	Restarts int
}

// Stats returns the unit's figures. Any goroutine; while operations run, the figures may lag behind.
func (u *Unit[S]) Stats() UnitStats {
	if u == nil {
		panic("freerun: Stats of a nil Unit; make units with NewUnit")
	}
	s := UnitStats{Operations: u.unit.operations.Load(), Steals: u.unit.steals.Load()}
	if x := u.unit.ext.Load(); x != nil {
		x.fill(&s)
	}
	return s
}

// unit is what the runtime knows of a unit. It is a task of the scheduler: to be run while its mailbox is owned.
//
// Its life: idle; a send finds the mailbox idle and queues the unit; a processor takes it and drains the mailbox, up to
// drainLimit letters; then it queues the unit again behind the others, or gives the mailbox up, which is idle then. So a unit
// is in at most one queue at a time, which is what makes stealing it safe. A unit with lanes is more than one task: unit_priority.go.
type unit struct {
	sched.Task
	rt         *Runtime
	mailbox    mailbox.Queue
	ext        atomics.Pointer[unitExt] // nil for most
	late       *message                 // the owner's: was run, and may be used again after the next Dequeue
	operations atomics.RelaxedUint64    // written by the owner
	steals     atomics.RelaxedUint64    // written by the thief, between two owners
}

const (
	drainLimit    = 128 // how many letters a processor runs before other units get their turn
	drainLimitLow = 16  // of Low or Idle
	drainGlance   = 16  // how often, in letters, it looks whether to give way to another priority

	// mostTurned is how many letters of a long mailbox are brought into order at a time: as much work, if they are out of the caches, as to run
	// a drainLimit of short ones.
	mostTurned = 1024
)

var unitVtable = &sched.Kind{Run: drain, Stolen: countSteal, Discard: discardUnit}

func isUnit(t *sched.Task) bool { return t.Kind.Stolen != nil } // no letter has that

func unitOf(t *sched.Task) *unit { return (*unit)(unsafe.Pointer(t)) }

// unitRunBy returns the unit that a task runs, with lanes or without; nil if the task is a letter.
func unitRunBy(t *sched.Task) *unit {
	switch {
	case isUnit(t):
		return unitOf(t)
	case t.Kind == &priorityMailboxVtable:
		return priorityMailboxOf(t).lanes.unit
	}
	return nil
}

func countSteal(t *sched.Task) { unitOf(t).steals.Add(1) }

// deliver puts a letter into the unit's mailbox, and queues the unit if that makes it busy; or it returns why the mailbox does not take the
// letter. fresh is the letter's sender if that delivers it, at the send; nil otherwise.
func (u *unit) deliver(s *worker, l *message, fresh *sender) error {
	if x := u.ext.Load(); x != nil || l.lineage.Load() != nil {
		return u.deliverAt(s, x, l, fresh)
	}
	wasIdle, marked := u.mailbox.Offer(&l.Node) // enqueue, written out
	if marked {
		wasIdle = u.deliverBehind(s, l)
	}
	if wasIdle {
		if s.at(u.rt) { // queueNext, written out: it is not inlined
			s.processor.PushNext(&u.Task)
		} else {
			s.inject(u.rt, Normal, &u.Task)
		}
	}
	return nil
}

// deliverAt is deliver for a unit that has extras, or a letter that may have a priority.
func (u *unit) deliverAt(s *worker, x *unitExt, l *message, fresh *sender) error {
	if x != nil && x.limit != nil {
		if err := x.limit.admit(s, l, fresh); err != nil {
			return err
		}
	}
	if x != nil && x.own {
		l.lineage.Store(l.lineage.Load().at(u.rt, x.priority))
		u.enqueue(s, l)
		return nil
	}
	p := l.priority()
	if p == Normal {
		u.enqueue(s, l)
		return nil
	}
	e := &u.withPriorityMailboxes(s).express[p]
	if e.mailbox.Enqueue(&l.Node) {
		s.queueNext(u.rt, p, &e.Task)
	}
	return nil
}

// enqueue puts a letter into the unit's mailbox, or its lane of Normal.
func (u *unit) enqueue(s *worker, l *message) {
	wasIdle, marked := u.mailbox.Offer(&l.Node)
	if marked {
		wasIdle = u.deliverBehind(s, l)
	}
	if wasIdle {
		u.queue(s)
	}
}

// queue hands the unit, whose mailbox is the caller's, to the scheduler.
func (u *unit) queue(s *worker) { s.queueNext(u.rt, u.priority(), &u.Task) }

// goOn queues the unit, which is the caller's, behind the others.
func (u *unit) goOn(s *worker) {
	if x := u.priorityMailboxes(); x != nil {
		x.join() // if they were made while it ran
		x.yield(s)
		return
	}
	s.queueBack(u.rt, u.priority(), &u.Task)
}

// drain runs the letters of a unit whose mailbox this processor owns. It is written out for the units that most are: without extras, which may come
// at any letter.
func drain(p *sched.Processor, t *sched.Task) {
	s, u, h := workerOf(p), unitOf(t), p.Host()
	if s.watched {
		s.unit.Store(u)
	}
	for left := uint(drainLimit); left > 0; left-- {
		if u.ext.Load() != nil {
			u.drainWithExtras(p, s, h, left)
			return
		}
		l := messageOf(u.mailbox.DequeueInOrder()) // dequeue, written out
		if l == nil {
			var later bool
			if l, later = dequeueNew(s, &u.mailbox, &u.late); later {
				break
			}
			if l == nil {
				return
			}
		}
		if l.vtable().take != nil {
			if p, s = u.runOne(p, s, h, l); p == nil {
				return
			}
			continue
		}
		u.operations.Add(1)
		l.Kind.Run(p, &l.Task)
		if h.Processor() != p || s.pressed != nil || h.Locked() {
			if p, s = u.afterOne(p, s, h); p == nil {
				return
			}
		}
		if left%drainGlance == 1 && p.GiveWay(Normal) {
			break
		}
	}
	p.PushBack(t)
}

// drainWithExtras is drain for a unit that has extras.
func (u *unit) drainWithExtras(p *sched.Processor, s *worker, h *sched.Host, left uint) {
	pr := u.priority()
	left = min(left, uint(limitAt(pr)))
	for ; left > 0; left-- {
		if lanes := u.priorityMailboxes(); lanes != nil {
			lanes.runNormal(p)
			return
		}
		l, later := u.next(s)
		if later {
			break
		}
		if l == nil {
			return
		}
		if p, s = u.runOne(p, s, h, l); p == nil {
			return
		}
		if (left%drainGlance == 1 || pr != Normal) && p.GiveWay(pr) {
			break
		}
	}
	s.queueBack(u.rt, pr, &u.Task)
}

// next returns the letter that comes next in the unit's own mailbox; nil if there is none, and the unit is not the caller's any more; or nil and
// later if others must have their turn before it is found.
func (u *unit) next(s *worker) (l *message, later bool) {
	if x := u.ext.Load(); x != nil {
		if l := x.left.Take(); l != nil {
			return l, false
		}
	}
	return dequeue(s, &u.mailbox, &u.late)
}

// dequeue takes the next letter from a mailbox, and has the last one, if it is kept in late, used again. It returns as next does.
func dequeue(s *worker, box *mailbox.Queue, late **message) (l *message, later bool) {
	if n := box.DequeueInOrder(); n != nil { // then none is late: that is the newest that the mailbox knows
		return messageOf(n), false
	}
	return dequeueNew(s, box, late)
}

func dequeueNew(s *worker, box *mailbox.Queue, late **message) (l *message, later bool) {
	again := *late
	if again != nil {
		*late = nil // before Dequeue: afterwards the mailbox may be another processor's
	}
	n, later := box.DequeueNew(mostTurned)
	if again != nil {
		again.vtable().recycle(s, again)
	}
	if n == nil {
		return nil, later
	}
	return messageOf(n), false
}

// taken is what came of taking a letter.
type taken uint8

const (
	ready  taken = iota // it has the unit to itself, and is to be run
	onward              // it was dealt with: the caller goes on with the next
	gone                // the unit is not the caller's any more
)

// take decides what is done with a letter that the caller has dequeued as the unit's owner.
func (u *unit) take(s *worker, l *message) taken {
	x, k := u.ext.Load(), l.vtable()
	if x != nil && !k.looks && !x.alone(l) {
		return gone
	}
	if k.take != nil {
		return k.take(s, u, l)
	}
	if x != nil && x.takeOut(s, l) {
		return onward
	}
	return ready
}

// runOne runs a letter of the unit, on processor p with its seat s and host h. It returns the processor on which it goes on, and its seat; nil if
// the unit is not the caller's any more.
func (u *unit) runOne(p *sched.Processor, s *worker, h *sched.Host, l *message) (*sched.Processor, *worker) {
	switch u.take(s, l) {
	case gone:
		return nil, nil
	case onward:
		return p, s
	}
	u.operations.Add(1)
	l.Kind.Run(p, &l.Task)
	return u.afterOne(p, s, h)
}

// afterOne is called when a letter was run, and returns the same as runOne.
func (u *unit) afterOne(p *sched.Processor, s *worker, h *sched.Host) (*sched.Processor, *worker) {
	if now := h.Processor(); now != p {
		if now == nil { // the operation has left it
			u.goOn(u.rt.detachedWorker())
			return nil, nil
		}
		p, s = now, workerOf(now)
	}
	if s.pressed != nil && u.holdBack(s) {
		return nil, nil
	}
	if h.Locked() { // by this operation: its host is left before another one runs
		u.goOn(s)
		return nil, nil
	}
	return p, s
}
