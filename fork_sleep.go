package freerun

import (
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// sleep gives the processor away until j, which a thief has, is done. It returns at once if j is
// done already.
func (c *Context) sleep(j *job) {
	w := c.worker.Load()
	if w.processor == nil {
		if j.awaitedBy(c) {
			c.forks.parker.Park()
		}
		return
	}
	c.publishAll(w.processor)
	if c.forks.suspension == nil {
		c.forks.suspension = new(sched.Suspension) // before the thief can wake it
	}
	if !j.awaitedBy(c) {
		return
	}
	if c.seen != 0 {
		w.traceOut(c)
	}
	pressed, home := w.pressed, hostStateOf(w.processor.Host())
	w.pressed = nil
	w.renew(c)
	// While it sleeps, c leads to the worker that ordinary goroutines share: to no processor.
	c.worker.Store(&c.rt.outside)
	home.away.Store(c)
	p := c.forks.suspension.Wait(w.processor)
	if p == nil { // the runtime has ended meanwhile
		c.worker.Store(c.rt.detachedWorker())
		c.stand()
		return
	}
	home.away.Store(nil)
	w = workerOf(p)
	w.active.Store(c)
	w.credit.Turn(c.key.account())
	w.pressed = pressed
	c.worker.Store(w)
	c.forks.offer = p.Offer()
	if c.seen != 0 {
		w.traceIn(c)
	}
}

// stand records that the operation has no processor any more. Its forks are all exposed by then.
// What it forks from now on runs in sequence.
func (c *Context) stand() {
	c.forks.home.Store(0)
	c.forks.offer = sched.NoOffer()
	if c.forks.forkParts != nil {
		c.forks.parker = park.New()
	}
}

// wakeSleeper wakes the joiner that sleeps with c. p is the caller's processor, nil if it has none.
func (c *Context) wakeSleeper(p *sched.Processor) {
	if c.forks.parker != nil {
		c.forks.parker.Unpark()
		return
	}
	c.forks.suspension.ReadyAt(c.priority(), p)
}
