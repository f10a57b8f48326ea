package sched

import "time"

// Timed keeps the time of a deterministic scheduler, for programs that simulate how long its tasks
// would take. [Config.Choose] knows what has run and what that costs, and chooses the processor
// that is furthest behind. The methods are called where one goroutine runs at a time; they must
// not use the scheduler.
type Timed interface {
	// Now returns how much time has passed. It never decreases.
	Now() time.Duration
	// Enter is called when Drive begins; its caller may have queued tasks before.
	Enter()
	// Stole is called when a processor has stolen from a victim, with the number of tasks that the
	// thief has stolen so far.
	Stole(thief, victim *Processor, tasks uint64)
}

// tellStolen tells Timed of a theft, if it is set.
func (p *Processor) tellStolen(victim *Processor) {
	if d := p.scheduler.driver; d != nil && d.timed != nil {
		d.timed.Stole(p, victim, p.counters.stolen.Load())
	}
}

// lookAtSlots opens slots as the monitor would: each SlotPatience, those that have waited since
// the last look for one and the same task.
func (d *driver) lookAtSlots(s *Scheduler) {
	if now := d.timed.Now(); now >= d.nextLook {
		d.nextLook = now + SlotPatience
		s.monitor.openSlots()
	}
}

// keepsTurn makes the driver's next choice on the asking host h, and reports whether it is h
// again: then no switch is needed. Where time is simulated, most choices among few processors are
// such, and a measurement of one processor should not measure switches.
func (d *driver) keepsTurn(h *Host) bool {
	if d.timed == nil || d.until != nil && d.until() { // the driver will look, too
		return false
	}
	next := d.next(h.scheduler)
	if next == h {
		return true
	}
	d.chosen = next
	return false
}
