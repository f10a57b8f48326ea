package freerun

import (
	"github.com/freerun-go/freerun/internal/park"
	"github.com/freerun-go/freerun/sched"
)

type strand struct{ p *park.Parker }

func (s *strand) Ready(*sched.Processor) { s.p.Unpark() }

// sleep placeholder
func (c *Context) sleep(j *job) {
	if c.forks.strand.p == nil {
		c.forks.strand.p = park.New()
	}
	if s := c.seat.Load(); s.processor != nil {
		c.publishAll(s.processor)
	}
	if j.awaitedBy(c) {
		c.forks.strand.p.Park()
	}
}
