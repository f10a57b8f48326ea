package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/queue"
	"github.com/freerun-go/freerun/sched"
)

// extras is what few units need: a priority of its own, or lanes for messages of several priorities. It is made with the unit, or
// when a message with a priority is first sent to it, and stays.
type extras struct {
	unit     *unit
	own      bool // all messages have the unit's priority: there are no lanes
	priority Priority
	lanes
}

// express is the lane of one priority besides Normal: a mailbox, and the task that is queued, with that priority, while the mailbox is owned.
type express struct {
	sched.Task
	extras  *extras
	mailbox queue.Mailbox
	late    *letter // as unit.late
}

var expressKind = &sched.Kind{Run: runExpress, Discard: discardExpress}

func expressOf(t *sched.Task) *express { return (*express)(unsafe.Pointer(t)) }

// priorityOf returns that of a lane.
func (x *extras) priorityOf(e *express) Priority {
	for i := range x.express {
		if e == &x.express[i] {
			return Priority(i)
		}
	}
	panic("freerun: a lane of another unit")
}

// tokenKind is of the letter that tells a unit, in its place among the others, that it has lanes.
var tokenKind = newKind(kind{name: "token", fail: func(*seat, *letter, error) {}}, func(_ *sched.Processor, t *sched.Task) {
	(*letter)(unsafe.Pointer(t)).unit.operations.Add(minusOne) // it is none
})

// apply gives a new unit its options.
func (u *unit) apply(options []UnitOption) {
	x := &extras{unit: u}
	for _, o := range options {
		o(x)
	}
	if x.own {
		u.extras.Store(x)
	}
}

// withLanes returns the unit's extras, made if there are none (L0).
func (u *unit) withLanes(s *seat) *extras {
	x := u.extras.Load()
	if x != nil {
		return x
	}
	x = &extras{unit: u}
	x.word.Store(claimed)
	for i := range x.express {
		x.express[i].Kind = expressKind
		x.express[i].extras = x
	}
	x.token.unit = u
	x.token.become(tokenKind)
	if !u.extras.CompareAndSwap(nil, x) {
		return u.extras.Load()
	}
	u.deliverNormal(s, &x.token)
	return x
}

// deliverAt is deliver for a unit that has extras, or is to get them.
func (u *unit) deliverAt(s *seat, x *extras, l *letter) {
	if x != nil && x.own {
		l.origin = l.origin.at(u.rt, x.priority)
		if u.mailbox.Enqueue(&l.Node) {
			u.queue(s, x.priority, &u.Task)
		}
		return
	}
	p := l.priority()
	if p == Normal {
		u.deliverNormal(s, l)
		return
	}
	e := &u.withLanes(s).express[p]
	if e.mailbox.Enqueue(&l.Node) {
		u.queue(s, p, &e.Task)
	}
}

// deliverNormal puts a letter into the lane of Normal.
func (u *unit) deliverNormal(s *seat, l *letter) {
	if u.mailbox.Enqueue(&l.Node) {
		u.queue(s, Normal, &u.Task)
	}
}

// queue hands a task of the unit, whose mailbox is the caller's, to the scheduler.
func (u *unit) queue(s *seat, p Priority, t *sched.Task) {
	if s.at(u.rt) {
		s.processor.PushNextAt(p, t)
	} else {
		u.rt.scheduler.InjectAt(p, t)
	}
}

// lane returns the mailbox of a priority, and where its late letter is kept.
func (x *extras) lane(p Priority) (*queue.Mailbox, **letter) {
	if p == Normal {
		return &x.unit.mailbox, &x.unit.late
	}
	return &x.express[p].mailbox, &x.express[p].late
}

// runExpress runs the task of a lane.
func runExpress(p *sched.Processor, t *sched.Task) {
	e := expressOf(t)
	if x := e.extras; x.claim(x.priorityOf(e)) {
		x.serve(p)
	}
}

// runNormal runs the unit's own task, once it has lanes.
func (x *extras) runNormal(p *sched.Processor) {
	if x.join() || x.claim(Normal) {
		x.serve(p)
	}
}

// serve runs letters of a unit whose lanes the caller holds, until all are given up or others must have their turn.
func (x *extras) serve(p *sched.Processor) {
	s := seatOf(p)
	for ran := 0; ; {
		pr, some := x.pick()
		if !some {
			return
		}
		box, late := x.lane(pr)
		again := *late
		*late = nil // before Dequeue, as in drain
		n := box.Dequeue()
		if again != nil {
			again.kind().recycle(s, again)
		}
		if n == nil {
			x.gaveUp(pr)
			continue
		}
		x.unit.operations.Add(1)
		l := letterOf(n)
		l.Kind.Run(p, &l.Task)
		if ran++; ran >= limitAt(pr) || pr != High && p.HighWaits() {
			x.yield(p)
			return
		}
	}
}

// yield queues the lanes that the caller holds behind the others of their priorities.
func (x *extras) yield(p *sched.Processor) {
	held := x.release()
	for pr := range Priority(priorities) {
		switch {
		case held&laneBit(pr) == 0:
		case pr == Normal:
			p.PushBack(&x.unit.Task)
		default:
			p.PushBackAt(pr, &x.express[pr].Task)
		}
	}
}

// keep has a letter of the running operation used again, when that is safe.
func (x *extras) keep(s *seat, id int, l *letter) {
	box, late := x.lane(x.running)
	if box.Reusable(&l.Node) {
		s.magazine(id).put(l)
	} else {
		*late = l
	}
}

// discardExpress fails the letters of a lane that was queued after the end.
func discardExpress(t *sched.Task) {
	e := expressOf(t)
	s := e.extras.unit.rt.stranger()
	for n := e.mailbox.Dequeue(); n != nil; n = e.mailbox.Dequeue() {
		l := letterOf(n)
		l.kind().fail(s, l, ErrClosed)
	}
}

// limitAt is how many letters of a priority a processor runs before other units get their turn.
func limitAt(p Priority) int {
	if Normal.Before(p) {
		return drainLimitLow
	}
	return drainLimit
}
