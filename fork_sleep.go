package freerun

import (
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// sleep gives the processor away until j, which is stolen, is done, or returns at once because it is.
func (c *Context) sleep(j *job) {
	s := c.worker.Load()
	if s.processor == nil {
		if j.awaitedBy(c) {
			c.forks.parker.Park()
		}
		return
	}
	c.publishAll(s.processor)
	if c.forks.strand == nil {
		c.forks.strand = new(sched.Suspension) // before the thief can rouse it
	}
	if !j.awaitedBy(c) {
		return
	}
	if c.seen != 0 {
		s.traceOut(c)
	}
	pressed, home := s.pressed, hostStateOf(s.processor.Host())
	s.pressed = nil
	s.renew(c)
	c.worker.Store(&c.rt.outside) // it leads nowhere, and to no seat that somebody could find it at
	home.away.Store(c)
	p := c.forks.strand.Wait(s.processor)
	if p == nil { // the runtime has ended meanwhile
		c.worker.Store(c.rt.detachedWorker())
		c.stand()
		return
	}
	home.away.Store(nil)
	s = workerOf(p)
	s.active.Store(c)
	s.credit.Turn(c.key.account())
	s.pressed = pressed
	c.worker.Store(s)
	c.forks.offer = p.Offer()
	if c.seen != 0 {
		s.traceIn(c)
	}
}

// stand notes that the operation has no processor any more. What it has forked is open to all, and what it forks from now on is run one after
// the other.
func (c *Context) stand() {
	c.forks.home.Store(0)
	c.forks.offer = sched.NoOffer()
	if c.forks.forkParts != nil {
		c.forks.parker = park.New()
	}
}

// rouse ends the sleep of c's goroutine. p is the caller's processor, nil if it has none.
func (c *Context) rouse(p *sched.Processor) {
	if c.forks.parker != nil {
		c.forks.parker.Unpark()
		return
	}
	c.forks.strand.ReadyAt(c.Priority(), p)
}
