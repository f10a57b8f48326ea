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

// begins tells the schedule that an operation of vtable k begins on w.
func (e env) begins(w *worker, c *Context, k *vtable, m *message) {
	if e.sim != nil {
		e.sim.begins(w, c, k, m)
	}
}

// sends has the schedule decide what goes on before w sends to u.
func (e env) sends(w *worker, u *unit) {
	if e.sim != nil && w.processor != nil {
		e.sim.sends(w, u)
	}
}

// rests tells the schedule that w has nothing to do.
func (e env) rests(w *worker) {
	if e.sim != nil {
		e.sim.rests(w)
	}
}

// recordClock returns the clock of a new recording.
func (e env) recordClock() record.Clock {
	if e.sim != nil {
		return e.sim.recordClock()
	}
	return record.Clock{}
}
