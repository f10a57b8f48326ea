package sched

// A task may look at what comes after it, and run that in its own place: so tasks that need a stack of their own are run one after another on
// the same stack, and one that would let others go first need not be left when there are none.

// Pick takes the task that the processor would run next, nil if there is none at hand. The caller gives it back with Carry, or runs it
// with Proceed. By the running task only.
func (p *Processor) Pick() *Task { return p.next() }

// Carry makes t, which was picked, what the processor runs when the running task has returned.
func (p *Processor) Carry(t *Task) {
	p.carried = t
	p.held |= carries
}

// carries is a bit of held beside those of the priorities: so next, which looks at that word anyway, has nothing more to look at while nothing is carried.
const carries = 1 << 31

// dropOff returns what is carried, nil if nothing is.
func (p *Processor) takeCarried() *Task {
	t := p.carried
	if t != nil {
		p.carried = nil
		p.held &^= carries
	}
	return t
}

// MayProceed reports whether what was picked may be run right away as the running task's successor, by Proceed. Otherwise it is to be carried, and the running task must
// return first, as its host has something to look at. By the running task only.
func (p *Processor) MayProceed() bool {
	return p.scheduler.driver == nil && p.counters.steps.Load()%surplusTurn != 0
}

// Proceed makes t, which was picked, the running task.
func (p *Processor) Proceed(t *Task) { p.begin(t) }

// begin notes what runs.
func (p *Processor) begin(t *Task) {
	p.counters.steps.Add(1)
	p.running.Store(t)
}

// Driven reports whether the processor is one of a deterministic scheduler. Any goroutine.
func (p *Processor) Driven() bool { return p.scheduler.driver != nil }

// Scheduler returns the processor's scheduler. Any goroutine.
func (p *Processor) Scheduler() *Scheduler { return p.scheduler }
