package sched

import "github.com/freerun-go/freerun/internal/sys/goid"

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
	h.scheduler.census.depart() // before p can park: at no instant does the scheduler look idle
	h.moveOut(p)
	h.scheduler.entrust(p)
	return h
}

// mustBeHome returns the host whose home this is, and panics on another goroutine.
func (p *Processor) mustBeHome(what string) *Host {
	if !p.isHome() {
		panic("sched: " + what + " on a goroutine that is not the processor's")
	}
	return p.host.Load()
}

// isHome reports whether this goroutine is p's home. Any goroutine.
func (p *Processor) isHome() bool { return p.Home() == goid.ID() }
