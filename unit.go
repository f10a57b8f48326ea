package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/queue"
	"github.com/freerun-go/freerun/sched"
)

// Unit is state with exclusion: it is only ever touched by operations sent to the unit, of which one runs at a time, and
// each sees what the earlier ones wrote. A unit belongs to one runtime, costs 80 bytes beside its state, needs no closing, and
// is collected as garbage when nobody refers to it. Make it with [NewUnit]; do not copy it. Any goroutine may send to it.
type Unit[S any] struct {
	unit
	state S
}

// NewUnit returns a unit of rt with the given state, which from then on belongs to the unit's operations. Any goroutine; it does
// not wait. It panics if rt or an option is nil, or if an option is for another type of state.
func NewUnit[S any](rt *Runtime, state S, options ...UnitOption) *Unit[S] {
	if rt == nil {
		panic("freerun: NewUnit with a nil Runtime")
	}
	u := &Unit[S]{state: state}
	u.rt = rt
	u.Kind = unitKind
	if len(options) > 0 {
		u.apply(options, reflect.TypeFor[S]())
	}
	return u
}

// UnitStats are the figures of one unit.
type UnitStats struct {
	Operations uint64 // run so far
	Steals     uint64 // times that a processor took the unit from another one's queue

	// Of a unit with a [Mailbox] limit, 0 otherwise:
	Waiting  int  // messages in the mailbox
	Peak     int  // the most that there ever were
	HeldBack bool // the unit is held back by a full mailbox that it has sent to; known of any unit
	// Of a unit with RestartOnPanic:
	Restarts int
}

// Stats returns the unit's figures. Any goroutine; while operations run, the figures may lag behind.
func (u *Unit[S]) Stats() UnitStats {
	s := UnitStats{Operations: u.operations.Load(), Steals: u.steals.Load()}
	if x := u.extras.Load(); x != nil {
		x.fill(&s)
	}
	return s
}

// unit is what the runtime knows of a unit. It is a task of the scheduler: to be run while its mailbox is owned.
//
// Its life: idle; a send finds the mailbox idle and queues the unit; a processor takes it and drains the mailbox, up to
// drainLimit letters; then it queues the unit again behind the others, or gives the mailbox up, which is idle then. So a unit
// is in at most one queue at a time, which is what makes stealing it safe.
type unit struct {
	sched.Task
	rt         *Runtime
	mailbox    queue.Mailbox
	late       *letter               // the owner's: was run, and may be used again after the next Dequeue
	operations atomics.RelaxedUint64 // written by the owner
	steals     atomics.RelaxedUint64 // written by the thief, between two owners
	extras     atomics.Pointer[extras]
}

// drainLimit is how many letters a processor runs before other units get their turn.
const drainLimit = 128

var unitKind = &sched.Kind{Run: drain, Stolen: countSteal, Discard: discard}

func unitOf(t *sched.Task) *unit { return (*unit)(unsafe.Pointer(t)) }

func countSteal(t *sched.Task) { unitOf(t).steals.Add(1) }

// deliver puts a letter into the unit's mailbox, and queues the unit if that makes it busy; or it returns why the mailbox does not take the
// letter. fresh says that the letter is delivered by its sender, at the send.
func (u *unit) deliver(s *seat, l *letter, fresh bool) error {
	if x := u.extras.Load(); x != nil && x.bound != nil {
		if err := x.bound.admit(s, u, fresh); err != nil {
			return err
		}
	}
	if u.mailbox.Enqueue(&l.Node) {
		u.queue(s)
	}
	return nil
}

// queue has the unit, whose mailbox the caller owns, run by some processor.
func (u *unit) queue(s *seat) {
	if s.processor != nil && s.rt == u.rt {
		s.processor.PushNext(&u.Task)
	} else {
		u.rt.scheduler.Inject(&u.Task)
	}
}

// drain runs the letters of a unit whose mailbox this processor owns.
func drain(p *sched.Processor, t *sched.Task) {
	s, u := seatOf(p), unitOf(t)
	c := s.active.Load()
	for range drainLimit {
		late := u.late
		if late != nil {
			u.late = nil // before Dequeue: afterwards the unit may be another processor's
		}
		n := u.mailbox.Dequeue()
		if late != nil {
			late.kind().recycle(s, late)
		}
		if n == nil {
			return
		}
		l := letterOf(n)
		if x := u.extras.Load(); x != nil && x.takeOut(s, l) {
			continue
		}
		u.operations.Add(1)
		l.Kind.Run(s.processor, &l.Task)
		if s = c.seat.Load(); s.processor == nil { // it had to wait, and has no processor any more
			break
		}
		if s.pressed != nil && u.holdBack(s) {
			return
		}
	}
	u.queueBack(s)
}

// queueBack queues the unit, whose mailbox the caller owns, behind others.
func (u *unit) queueBack(s *seat) {
	if s.processor != nil {
		s.processor.PushBack(&u.Task)
	} else {
		u.rt.scheduler.Inject(&u.Task)
	}
}

// discard fails the letters of a unit that was queued after the end.
func discard(t *sched.Task) {
	u := unitOf(t)
	s := u.rt.stranger()
	for n := u.mailbox.Dequeue(); n != nil; n = u.mailbox.Dequeue() {
		l := letterOf(n)
		l.kind().fail(s, l, ErrClosed)
	}
}
