package sched

// Leave gives the processor, with all tasks queued on it, to another host, so that the running
// task may block without delaying other tasks. The task goes on without a processor, on the host
// that Leave returns. It must not use p any more, and queues its follow-up tasks with
// [Scheduler.Inject]. It still counts as running: the scheduler is not idle, and Stop waits for
// it. If it panics or ends its goroutine, [Config.Crashed] is called.
//
// By the running task only; Leave panics on another goroutine than p's. It does not wait. Cost: a
// spare goroutine is woken, or a new one started if there is none; only that allocates.
func (p *Processor) Leave() *Host { return p.LeaveWith(p.running.Load()) }

// LeaveWith is Leave in [Config.Crashed]: t is the task that has panicked, and runs no longer.
func (p *Processor) LeaveWith(t *Task) *Host {
	h := p.mustBeHome("Leave")
	h.away.Store(t)
	h.scheduler.census.addAway() // before p can park, so that the scheduler never looks idle
	h.release(p)
	h.scheduler.handOff(p)
	return h
}

// AwaitProcessor sleeps until a processor moves to the task's host ([Processor.MoveTo]) and
// returns it, for a task that has left its processor ([Processor.Leave]). It returns nil if the
// wait is abandoned ([Host.Abandon]): then the task goes on without a processor. The goroutine is
// not switched, so it may be locked to its thread. By the task that runs on h's goroutine, or on a
// coroutine in its place, only.
func (h *Host) AwaitProcessor() *Processor {
	q, _ := h.take(nil)
	if q != nil {
		h.acquire(q)
		q.running.Store(h.away.Load())
		h.away.Store(nil)
	}
	return q
}

// MoveTo moves the processor to the host h, which is in AwaitProcessor or about to call it. Call
// it once for each AwaitProcessor. By the running task only, which must return right after it.
func (p *Processor) MoveTo(h *Host) {
	p.scheduler.census.removeAway() // not idle: p is awake
	p.host.Load().release(p)
	h.give(p)
}

// Abandon ends AwaitProcessor without a processor, in place of MoveTo. Any goroutine.
func (h *Host) Abandon() { h.give(nil) }
