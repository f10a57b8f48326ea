package freerun

// Stats are the figures of a runtime since it was made. While operations run, figures of different
// processors are not of one instant, and may lag behind; in a runtime that has quiesced they are
// exact.
type Stats struct {
	Processors []ProcessorStats

	// Sent counts messages, from inside and outside, as they are sent. It includes those that a
	// full mailbox or a stopped unit refuses: they are done and failed then, so Failed is a part of
	// Sent. It does not count messages that are refused before: with ErrClosed, ErrOtherRuntime or
	// ErrSameUnit, or by a scope that was canceled already.
	Sent uint64
	// Done counts those of Sent that were run or have failed.
	Done uint64
	// Failed counts those of Done that were not run to their end: refused or canceled, a future
	// failed, a panic, or the end of the runtime.
	Failed uint64
	// Lost counts failures of messages without a future. It does not count those that the end of
	// the runtime abandoned, and those that a FailFast scope reports.
	Lost   uint64
	Panics uint64 // operations that panicked, or called runtime.Goexit
	Late   uint64 // operations that the watchdog has reported ([Watchdog])
}

// ProcessorStats are the figures of one processor.
type ProcessorStats struct {
	Messages uint64 // operations run to their end
	Steals   uint64 // times that it took work from another processor
	Stolen   uint64 // units and free operations that it took so
	Searches uint64 // times that it looked for work everywhere
	Parks    uint64 // times that it had nothing to do, and slept
	Wakes    uint64 // times that it was woken to look for work
	Yields   uint64 // times that it was busy, and let other goroutines run

	// Units and free operations of these priorities that it has taken to run.
	High, Low, Idle uint64
}

// Stats returns the figures of the runtime. Any goroutine; it does not wait.
func (rt *Runtime) Stats() Stats {
	rt.mustBeMade()
	var stats Stats
	stats.Failed, stats.Lost, stats.Panics = rt.ingress.failed.Load(), rt.ingress.lost.Load(), rt.ingress.panics.Load()
	stats.Late = rt.incidents.count()
	stats.Done = rt.done()
	stats.Sent = rt.sent()
	for i, w := range rt.workers() {
		p := rt.scheduler.Processors()[i].Stats()
		stats.Processors = append(stats.Processors, ProcessorStats{
			Messages: w.counters.ran.Load(), Steals: p.Steals, Stolen: p.Stolen, Searches: p.Searches, Parks: p.Parks, Wakes: p.Wakes,
			Yields: p.Yields, High: p.High, Low: p.Low, Idle: p.Idle,
		})
		stats.Failed += w.counters.failed.Load()
		stats.Lost += w.counters.lost.Load()
		stats.Panics += w.counters.panics.Load()
	}
	return stats
}
