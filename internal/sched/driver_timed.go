package sched

import "time"

// Timed keeps the time of a deterministic scheduler, for those who simulate how long its tasks would take: [Config.Choose] knows what has run and what it costs, and chooses
// whoever is furthest behind. Its methods are called where one goroutine runs at a time, and must not use the scheduler.
type Timed interface {
	// Now returns how much time has passed. It never falls.
	Now() time.Duration
	// Enter tells that somebody begins to drive the scheduler, who may have queued something before.
	Enter()
	// Stole tells that a processor has stolen from a victim, and how many tasks the thief has stolen so far.
	Stole(thief, victim *Processor, tasks uint64)
}

// tellStolen tells of a theft, if there is somebody who wants to know.
func (p *Processor) tellStolen(victim *Processor) {
	if d := p.scheduler.driver; d != nil && d.timed != nil {
		d.timed.Stole(p, victim, p.counters.stolen.Load())
	}
}

// lookAtSlots opens slots as the watch would: every SlotPatience, those that have waited since the last look for one and the same task.
func (d *driver) lookAtSlots(s *Scheduler) {
	if now := d.timed.Now(); now >= d.nextLook {
		d.nextLook = now + SlotPatience
		s.monitor.openSlots()
	}
}

// goesOn asks who goes on, in place of the driver, and reports whether that is h, which asks: then nobody need be switched to. Where time is simulated most choices
// among few processors are such, and what is measured of one processor shall not be the switches.
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
