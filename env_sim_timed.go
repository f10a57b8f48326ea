package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// timed is what a [Schedule] may have besides: one that simulates how long the program would take (package simulate). It keeps the time, and is told of what takes time.
// Choose comes at every instant at which others may see what a processor has done, before they do: so it can have those go on first who are behind. Processors are given by
// their numbers, units by a pointer that stands for them, nil for none.
type timed interface {
	// Now returns how much time has passed.
	Now() time.Duration
	// Enter tells that an ordinary goroutine begins to wait. What it has sent was sent now.
	Enter()
	// Idle lets time pass until an instant, if that is to come: nothing is left to run.
	Idle(until time.Duration)
	// On tells, after Began, which unit the operation is on, and whether there is a future of its result.
	On(processor int, unit any, answers bool)
	// Sends tells that the running operation is about to send to a unit. Choose comes next.
	Sends(processor int, unit any)
	// Ends tells that the running operation has come to its end, and nobody has seen that yet. Choose comes next.
	Ends(processor int)
	// Rests tells that a processor has run out of what is at hand, and looks elsewhere, or sleeps, until the next Began.
	Rests(processor int)
	// Stole tells that a processor has stolen from a victim, and how many units and free operations the thief has stolen so far.
	Stole(thief, victim int, tasks uint64)
}

// timedScheduler is a timed schedule, as the scheduler knows it.
type timedScheduler struct{ timed }

func (t timedScheduler) Stole(thief, victim *sched.Processor, tasks uint64) {
	t.timed.Stole(thief.Index(), victim.Index(), tasks)
}

// beginTimed tells of an operation that begins.
func (s *worker) beginTimed(c *Context, l *message) {
	s.rt.timed.On(s.processor.Index(), l.unit.known(), l.vtable().recycle == nil)
	c.marks |= isTimed
}

// endTimed tells of an operation that ends, before others see it.
func (c *Context) endTimed() {
	if s := c.worker.Load(); s.processor != nil {
		s.rt.timed.Ends(s.processor.Index())
		s.processor.Pause()
	}
}

// pauseToSend is pause ahead of a message to u.
func (s *worker) pauseToSend(u *unit) {
	if s.rt.timed != nil {
		s.rt.timed.Sends(s.processor.Index(), u.known())
	}
	s.processor.Pause()
}

// known returns what a schedule knows the unit by.
func (u *unit) known() any {
	if u == &u.rt.free {
		return nil
	}
	return u
}
