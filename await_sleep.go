package freerun

import (
	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/park"
	"github.com/freerun-go/freerun/sched"
)

// lodger tells whose operation a host has on its stack while it has no processor: the Local of a host.
type lodger struct {
	context atomics.RelaxedPointer[Context]
}

func lodgerOf(h *sched.Host) *lodger { return h.Local.(*lodger) }

// sleep gives the processor away until j, which is stolen, is done, or returns at once because it is.
func (c *Context) sleep(j *job) {
	s := c.seat.Load()
	if s.processor == nil {
		c.sleepBare(j)
		return
	}
	c.publishAll(s.processor)
	if !j.awaitedBy(c) {
		return
	}
	pressed := s.pressed
	s.pressed = nil
	host := lodgerOf(sched.Here())
	host.context.Store(c)
	s.active.Store(c.rt.spareContext(s))
	if p := c.forks.strand.Wait(s.processor); p != nil {
		host.context.Store(nil)
		c.sit(p)
		c.seat.Load().pressed = pressed
	} else {
		c.stand()
	}
}

// sit makes c the context of what runs on p, whose goroutine this is now.
func (c *Context) sit(p *sched.Processor) {
	s := seatOf(p)
	spare := s.active.Load()
	s.active.Store(c)
	c.seat.Store(s)
	c.forks.offer = p.Offer()
	spare.seat.Store(&c.rt.outside)
	spare.forks.home.Store(0)
	c.rt.contexts.Put(spare)
}

// stand notes that the operation has no processor any more, since the runtime has ended: it goes on alone.
func (c *Context) stand() {
	c.seat.Store(c.rt.stranger())
	c.forks.home.Store(0)
	c.forks.parker = park.New()
}

// sleepBare is sleep for an operation without a processor.
func (c *Context) sleepBare(j *job) {
	if j.awaitedBy(c) {
		c.forks.parker.Park()
	}
}

// rouse ends the sleep of c's goroutine. p is the caller's processor, nil if it has none.
func (c *Context) rouse(p *sched.Processor) {
	if c.forks.parker != nil {
		c.forks.parker.Unpark()
		return
	}
	c.forks.strand.Ready(p)
}

// spareContext returns a context for who is to run on s next.
func (rt *Runtime) spareContext(s *seat) *Context {
	c, ok := rt.contexts.Get().(*Context)
	if !ok {
		c = &Context{rt: rt}
	}
	c.seat.Store(s)
	return c
}
