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

// begins tells the schedule that the operation of msg begins on w.
func (m *simulation) begins(w *worker, c *Context, k *vtable, msg *message) {
	m.schedule.Began(w.processor.Index(), fullName(k.describe(msg)))
	if m.timed != nil {
		m.timed.On(w.processor.Index(), msg.unit.known(), msg.vtable().recycle == nil)
		c.marks |= isTimed
	}
}

// endTimed tells the timed schedule that the operation ends, before other processors see that.
func (c *Context) endTimed() {
	if w := c.worker.Load(); w.processor != nil {
		w.env.sim.timed.Ends(w.processor.Index())
		w.processor.Pause()
	}
}

// sends pauses w before a send to u.
func (m *simulation) sends(w *worker, u *unit) {
	if m.timed != nil {
		m.timed.Sends(w.processor.Index(), u.known())
	}
	w.processor.Pause()
}

func (m *simulation) rests(w *worker) {
	if m.timed != nil {
		m.timed.Rests(w.processor.Index())
	}
}

// known returns the pointer by which a schedule knows the unit, nil for free operations.
func (u *unit) known() any {
	if u == &u.rt.free {
		return nil
	}
	return u
}
