package sched

import "time"

// Watchdog says what a scheduler does about tasks that do not return. It looks each 10 ms while a
// processor is awake, more often if After is short; so a report or an extra processor may come a
// quarter of After late, or 10 ms. With [Config.Choose], where no time passes, it does nothing. The
// zero value does nothing.
type Watchdog struct {
	// After is how long a processor may run one task without a call of [Processor.Spend] before
	// the task is late. 0 means for ever.
	After time.Duration
	// Report, if set, is called when a task is late, once until it returns or calls Spend. been is
	// how long it has been running, to the millisecond. Report runs on a timer's goroutine; until
	// it returns, no other late task is reported.
	Report func(late Stuck, been time.Duration)
	// Extra is how many processors are added at most while tasks are late. One is added each time
	// that all processors in service run late tasks and other tasks are queued. When a task is late
	// no more, the processor that was added last goes.
	Extra int
}

// watchdog is the part of the monitor that knows how long each processor has been in its task.
type watchdog struct {
	config       Watchdog
	observations []observation
}

// observation has the watchdog's knowledge of a processor.
type observation struct {
	progress uint64    // at the last look
	since    time.Time // of the first look that found this progress
	reported bool      // Report was called
}

// progress returns a number that changes when the processor begins a task, and when it begins or
// ends a yield in the middle of one, as it does at each Spend if these are far apart. pausing says
// that it is in a yield: it waits for other goroutines, so its task is not late. Any goroutine.
func (p *Processor) progress() (progress uint64, pausing bool) {
	pauses := p.counters.pauses.Load()
	return p.counters.steps.Load() + pauses, pauses%2 != 0
}

// look reports the tasks that became late since the last look, and adjusts the number of
// processors.
func (d *watchdog) look(s *Scheduler) {
	if d.config.After <= 0 {
		return
	}
	now, late := time.Now(), 0
	for i, p := range s.all() {
		if i == len(d.observations) {
			d.observations = append(d.observations, observation{})
		}
		if d.observations[i].isLate(p, now, d.config) {
			late++
		}
	}
	d.adjustExtra(s, late)
}

// isLate reports whether the task that p runs is late, and calls Report the first time.
func (at *observation) isLate(p *Processor, now time.Time, config Watchdog) bool {
	progress, pausing := p.progress()
	task, host := p.running.Load(), p.host.Load()
	if progress != at.progress || pausing || task == nil || host == nil {
		*at = observation{progress: progress, since: now}
		return false
	}
	been := now.Sub(at.since)
	if been < config.After {
		return false
	}
	if !at.reported && config.Report != nil {
		if now, _ := p.progress(); now == progress { // so it is still this task
			config.Report(Stuck{Task: task, Host: host, Processor: p}, been)
		}
	}
	at.reported = true
	return true
}

// adjustExtra adds a processor if all run late tasks and a task is queued. It releases the
// processors that were added for tasks that are late no more.
func (d *watchdog) adjustExtra(s *Scheduler, late int) {
	extra := min(s.extra, late)
	if late >= s.census.serving() && s.extra < d.config.Extra && s.hasWork() {
		extra = s.extra + 1
	}
	if extra != s.extra {
		s.setExtra(extra)
	}
}
