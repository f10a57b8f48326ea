package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// timed has the further methods of a [Schedule] that simulates how long the program would take
// (package simulate). Such a schedule keeps the time, and is told of what takes time.
//
// The runtime calls Choose at every instant at which other processors may see what a processor has
// done, before they do. So the schedule can let processors that are behind go on first. Processors
// are given by their numbers, units by a pointer that stands for them, nil for none.
type timed interface {
	// Now returns how much time has passed.
	Now() time.Duration
	// Enter tells that an ordinary goroutine begins to wait. Its earlier sends count as made now.
	Enter()
	// Idle lets time pass until an instant, unless that has passed. Nothing is left to run.
	Idle(until time.Duration)
	// On tells, after Began, which unit the operation is on, and whether its result has a future.
	On(processor int, unit any, answers bool)
	// Sends tells that the running operation is about to send to a unit. Choose comes next.
	Sends(processor int, unit any)
	// Ends tells that the running operation has come to its end, before any other processor sees
	// that. Choose comes next.
	Ends(processor int)
	// Rests tells that a processor has no task at hand. Until the next Began it looks elsewhere, or
	// sleeps.
	Rests(processor int)
	// Stole tells that a thief has stolen from a victim, and how many units and free operations the
	// thief has stolen so far.
	Stole(thief, victim int, tasks uint64)
}

// timedScheduler adapts a timed schedule to the interface of the scheduler.
type timedScheduler struct{ timed }

func (t timedScheduler) Stole(thief, victim *sched.Processor, tasks uint64) {
	t.timed.Stole(thief.Index(), victim.Index(), tasks)
}

// begins tells the schedule that the operation of l begins on s.
func (m *simulation) begins(s *worker, c *Context, k *vtable, l *message) {
	m.schedule.Began(s.processor.Index(), fullName(k.describe(l)))
	if m.timed != nil {
		m.timed.On(s.processor.Index(), l.unit.known(), l.vtable().recycle == nil)
		c.marks |= isTimed
	}
}

// endTimed tells the timed schedule that the operation ends, before other processors see that.
func (c *Context) endTimed() {
	if s := c.worker.Load(); s.processor != nil {
		s.env.sim.timed.Ends(s.processor.Index())
		s.processor.Pause()
	}
}

// sends pauses s before a send to u.
func (m *simulation) sends(s *worker, u *unit) {
	if m.timed != nil {
		m.timed.Sends(s.processor.Index(), u.known())
	}
	s.processor.Pause()
}

func (m *simulation) rests(s *worker) {
	if m.timed != nil {
		m.timed.Rests(s.processor.Index())
	}
}

// known returns the pointer by which a schedule knows the unit, nil for free operations.
func (u *unit) known() any {
	if u == &u.rt.free {
		return nil
	}
	return u
}
