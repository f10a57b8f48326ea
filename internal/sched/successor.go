package sched

// A running task may pick its successor and run it in its own place. So tasks that need a stack of
// their own run one after another on the same stack, and a task that would give way need not be
// suspended when no other task waits.

// Pick takes the task that the processor would run next; nil if there is none at hand. The caller
// returns it with Carry or runs it with Proceed. By the running task only.
func (p *Processor) Pick() *Task { return p.next() }

// Carry makes the picked task t run when the running task has returned. By the running task only.
func (p *Processor) Carry(t *Task) {
	p.carried = t
	p.held |= carries
}

// carries is a bit of held: a task is carried. It lies in held because next reads that word
// anyway, so that a processor that carries nothing pays nothing.
const carries = 1 << 31

// takeCarried removes the carried task; nil if there is none.
func (p *Processor) takeCarried() *Task {
	t := p.carried
	if t != nil {
		p.carried = nil
		p.held &^= carries
	}
	return t
}

// MayProceed reports whether the picked task may run at once as the successor of the running task,
// by Proceed. Otherwise the caller must carry it and return, because the host has checks to make.
// By the running task only.
func (p *Processor) MayProceed() bool {
	return p.scheduler.driver == nil && p.counters.steps.Load()%surplusTurn != 0
}

// Proceed makes the picked task t the running task. By the running task only.
func (p *Processor) Proceed(t *Task) { p.begin(t) }

// Driven reports whether the processor is one of a deterministic scheduler. Any goroutine.
func (p *Processor) Driven() bool { return p.scheduler.driver != nil }

// Scheduler returns the processor's scheduler. Any goroutine.
func (p *Processor) Scheduler() *Scheduler { return p.scheduler }
