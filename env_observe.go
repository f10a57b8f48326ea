package freerun

import "github.com/freerun-go/freerun/internal/record"

// What a schedule is told of operations, and what a recording takes its time from.

// observers returns the observers that the env has for all operations: see worker.observed.
func (e env) observers() uint64 {
	if e.sim != nil {
		return bySchedule
	}
	return 0
}

// begins tells the schedule that an operation of vtable k begins on s.
func (e env) begins(s *worker, c *Context, k *vtable, l *message) {
	if e.sim != nil {
		e.sim.begins(s, c, k, l)
	}
}

// sends has the schedule decide what goes on before s sends to u.
func (e env) sends(s *worker, u *unit) {
	if e.sim != nil && s.processor != nil {
		e.sim.sends(s, u)
	}
}

// rests tells the schedule that s has nothing to do.
func (e env) rests(s *worker) {
	if e.sim != nil {
		e.sim.rests(s)
	}
}

// recordClock returns the clock of a new recording.
func (e env) recordClock() record.Clock {
	if e.sim != nil {
		return e.sim.recordClock()
	}
	return record.Clock{}
}
