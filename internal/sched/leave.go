package sched

// Leave gives the processor, with all that is queued on it, to another goroutine, so that the running task may wait for whatever it likes
// without anybody waiting for the task. The task goes on without a processor, on the host that Leave returns: it must not use p any
// more, and queues what follows from it with [Scheduler.Inject]. It counts as running: the scheduler is not idle, and Stop waits for it.
// If it panics or ends its goroutine, [Config.Crashed] is told.
//
// By the running task only; it panics on another goroutine than p's. Cost: a goroutine is woken, or started if no spare one is there; it
// allocates only then.
func (p *Processor) Leave() *Host {
	h := p.mustBeHome("Leave")
	h.away.Store(p.running.Load())
	h.scheduler.census.addAway() // before p can park: at no instant does the scheduler look idle
	h.release(p)
	h.scheduler.handOff(p)
	return h
}

// AwaitProcessor has a task that has left its processor ([Processor.Leave]) sleep, until another one moves to it, which it returns; or until it is abandoned: then it
// returns nil, and the task goes on without one. The goroutine is not switched, so it may be locked to its thread. By the task that runs on h's goroutine, or on a
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

// MoveTo moves the processor to the host h, which is in AwaitProcessor, or on the way to it. By the running task only, which must return then. Once for each AwaitProcessor.
func (p *Processor) MoveTo(h *Host) {
	p.scheduler.census.removeAway() // not idle: p is awake
	p.host.Load().release(p)
	h.give(p)
}

// Abandon ends AwaitProcessor, in place of MoveTo, when no processor will come. Any goroutine.
func (h *Host) Abandon() { h.give(nil) }
