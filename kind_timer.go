package freerun

import "github.com/freerun-go/freerun/internal/timerwheel"

// tie has a repetition, which the running operation is about to begin through c, end with the
// activation of its unit. It does nothing if no operation of a unit of a kind runs, nor the one that
// makes its state, or if c is not of that operation.
func (c *Context) tie(t *Timer) {
	if c.worker.Load() == &c.rt.outside {
		return
	}
	now := c.running()
	if now == nil || now.current == nil {
		return
	}
	u := now.current.unit
	if of := now.current.vtable().makesFor; of != nil {
		u = of(now.current)
	}
	if x := u.ext.Load(); x != nil && x.keyed != nil {
		x.keyed.addTimer(t)
	}
}

// addTimer notes a timer that ends with the activation. The owner, or the operation that makes the
// state, while the unit lies still.
func (x *keyed) addTimer(t *Timer) {
	if x.timers == nil {
		x.timers = new([]*Timer)
	}
	all := *x.timers
	if len(all) == cap(all) { // those that have ended do not add up
		left := all[:0]
		for _, t := range all {
			if t.entry.State.Load() != timerwheel.Stopped {
				left = append(left, t)
			}
		}
		clear(all[len(left):])
		all = left
	}
	*x.timers = append(all, t)
}

// endTimers stops the timers that end with the activation. As addTimer.
func (x *keyed) endTimers() {
	if x.timers == nil {
		return
	}
	for _, t := range *x.timers {
		t.end(stoppedTimer)
	}
	x.timers = nil
}
