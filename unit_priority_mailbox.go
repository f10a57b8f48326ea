package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
)

// express is the lane of one priority besides Normal: a mailbox, and the task that is queued, with that priority, while the mailbox is owned.
type priorityMailbox struct {
	sched.Task
	lanes   *priorityMailboxes
	mailbox mailbox.Queue
	late    *message // as unit.late
}

// expressKind is set in init, as what runs a lane leads to what queues it.
var priorityMailboxVtable sched.Kind

// tokenKind is of the letter that tells a unit, in its place among the others, that it has lanes.
var tokenVtable vtable

func init() {
	priorityMailboxVtable = sched.Kind{Run: runPriorityMailbox, Discard: discardPriorityMailbox}
	tokenVtable = vtable{name: "token", looks: true, take: func(*worker, *unit, *message) taken { return onward }}
}

func priorityMailboxOf(t *sched.Task) *priorityMailbox { return (*priorityMailbox)(unsafe.Pointer(t)) }

// priorityOf returns that of a lane.
func (x *priorityMailboxes) priorityOf(e *priorityMailbox) Priority {
	for i := range x.express {
		if e == &x.express[i] {
			return Priority(i)
		}
	}
	panic("freerun: a lane of another unit")
}

// withLanes returns the unit's lanes, made if there are none (L0).
func (u *unit) withPriorityMailboxes(s *worker) *priorityMailboxes {
	x := u.extend()
	if all := x.mailboxes.Load(); all != nil {
		return all
	}
	all := &priorityMailboxes{unit: u}
	all.word.Store(claimed)
	for i := range all.express {
		all.express[i].Kind = &priorityMailboxVtable
		all.express[i].lanes = all
	}
	all.token.unit = u
	all.token.become(&tokenVtable)
	if !x.mailboxes.CompareAndSwap(nil, all) {
		return x.mailboxes.Load()
	}
	u.enqueue(s, &all.token)
	return all
}

// lane returns the mailbox of a priority, and where its late letter is kept.
func (x *priorityMailboxes) lane(p Priority) (*mailbox.Queue, **message) {
	if p == Normal {
		return &x.unit.mailbox, &x.unit.late
	}
	return &x.express[p].mailbox, &x.express[p].late
}

// mayReuse reports whether a letter of the running operation may be used again at once, and keeps it for later if not.
func (x *priorityMailboxes) mayReuse(l *message) bool {
	box, late := x.lane(x.running)
	if box.Reusable(&l.Node) {
		return true
	}
	*late = l
	return false
}

// runExpress runs the task of a lane.
func runPriorityMailbox(p *sched.Processor, t *sched.Task) {
	e := priorityMailboxOf(t)
	if s := workerOf(p); s.watched {
		s.unit.Store(e.lanes.unit)
	}
	if x := e.lanes; x.claim(x.priorityOf(e)) {
		x.serve(p)
	}
}

// runNormal runs the unit's own task, once it has lanes.
func (x *priorityMailboxes) runNormal(p *sched.Processor) {
	if x.join() || x.claim(Normal) {
		x.serve(p)
	}
}

// serve runs letters of a unit whose lanes the caller holds, until all are given up or others must have their turn.
func (x *priorityMailboxes) serve(p *sched.Processor) {
	s, u, h := workerOf(p), x.unit, p.Host()
	for ran := 0; ; {
		pr, l, later := x.next(s)
		if later {
			x.yield(s)
			return
		}
		if l == nil {
			return
		}
		if p, s = u.runOne(p, s, h, l); p == nil {
			return
		}
		if ran++; ran >= limitAt(pr) || p.GiveWay(pr) {
			x.yield(s)
			return
		}
	}
}

// next returns the letter that comes next, and its lane; nil if there is none, and the unit is not the caller's any more; or nil and later, as
// unit.next.
func (x *priorityMailboxes) next(s *worker) (pr Priority, l *message, later bool) {
	if l := x.unit.ext.Load().left.Take(); l != nil {
		x.running = l.priority()
		return x.running, l, false
	}
	for {
		pr, some := x.pick()
		if !some {
			return pr, nil, false
		}
		box, late := x.lane(pr)
		if l, later := dequeue(s, box, late); l != nil || later {
			if l != nil {
				x.turns.Ran(1)
			}
			return pr, l, later
		}
		x.gaveUp(pr)
	}
}

// yield queues the lanes that the caller holds behind the others of their priorities.
func (x *priorityMailboxes) yield(s *worker) {
	held := x.release()
	for pr := range Priority(priorities) {
		switch {
		case held&laneBit(pr) == 0:
		case pr == Normal:
			s.queueBack(x.unit.rt, pr, &x.unit.Task)
		default:
			s.queueBack(x.unit.rt, pr, &x.express[pr].Task)
		}
	}
}

func discardPriorityMailbox(t *sched.Task) {
	s := priorityMailboxOf(t).lanes.unit.rt.discarder()
	s.failPriorityMailbox(priorityMailboxOf(t))
	s.discardOrphans()
}

// limitAt is how many letters of a priority a processor runs before other units get their turn.
func limitAt(p Priority) int {
	if Normal.Before(p) {
		return drainLimitLow
	}
	return drainLimit
}
