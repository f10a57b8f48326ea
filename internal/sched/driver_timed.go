package sched

import "time"

// Timed is the clock of a deterministic scheduler, for programs that simulate how long its tasks
// would take. With it, [Config.Choose] has to choose the ready processor whose simulated time is
// furthest behind. The methods are called while one goroutine runs at a time; they must not use the
// scheduler.
type Timed interface {
	// Now returns how much time has passed. It never decreases.
	Now() time.Duration
	// Enter is called when Drive begins. The caller of Drive may have queued tasks before.
	Enter()
	// Stole is called when a processor has stolen from a victim, with the number of tasks that the
	// thief has stolen so far.
	Stole(thief, victim *Processor, tasks uint64)
}

// tellStolen tells the scheduler's Timed, if there is one, that p has stolen from victim.
func (p *Processor) tellStolen(victim *Processor) {
	if d := p.scheduler.driver; d != nil && d.timed != nil {
		d.timed.Stole(p, victim, p.counters.stolen.Load())
	}
}

// lookAtSlots opens slots as the monitor would. Each SlotPatience it opens the filled slots of
// processors that have run the same task since the last look.
func (d *driver) lookAtSlots(s *Scheduler) {
	if now := d.timed.Now(); now >= d.nextLook {
		d.nextLook = now + SlotPatience
		s.monitor.openSlots()
	}
}

// keepsTurn makes the driver's next choice on the host h, and reports whether the choice is h
// again. Then the driver needs no switch to and fro. With simulated time and few processors most
// choices are h, and a measurement of one processor should not measure switches.
func (d *driver) keepsTurn(h *Host) bool {
	if d.timed == nil || d.until != nil && d.until() { // the driver asks until as well
		return false
	}
	next := d.next(h.scheduler)
	if next == h {
		return true
	}
	d.chosen = next
	return false
}
