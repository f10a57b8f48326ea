package sched

// Leave gives the processor, with all that is queued on it, to another goroutine, so that the running task may wait for whatever it likes
// without anybody waiting for the task. The task goes on without a processor, on the host that Leave returns: it must not use p any
// more, and queues what follows from it with [Scheduler.Inject]. It counts as running: the scheduler is not idle, and Stop waits for it.
// If it panics or ends its goroutine, [Config.Crashed] is told.
//
// On p's goroutine only, by the running task. Cost: a goroutine is woken, or started if no spare one is there; allocates only then.
func (p *Processor) Leave() *Host {
	h := p.host.Load()
	h.away.Store(p.running.Load())
	h.scheduler.census.depart() // before p can park: at no instant does the scheduler look idle
	h.moveOut(p)
	h.scheduler.entrust(p)
	return h
}
