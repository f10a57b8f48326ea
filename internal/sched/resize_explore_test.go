//go:build explore

package sched

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// expectSize declares how many processors must be in service at the end, besides what expect
// declares: none is forgotten, or counted twice. When the scheduler ends, processors end without
// leaving the census, and surplus ones may still be there.
func (c *crew) expectSize(tasks, least, most int) {
	c.r.After(func() {
		c.check(tasks)
		if n := c.census.serving(); n < least || n > most {
			c.r.Failf("the census has %d processors, want %d to %d", n, least, most)
		}
	})
}

// TestExploreResize takes processors out of service and brings them back while tasks are queued,
// and processors go to sleep and are woken.
func TestExploreResize(t *testing.T) {
	t.Run("down", func(t *testing.T) {
		explore.Exhaustive(t, 1, func(r *explore.Run) {
			c := newCrew(r, 2, 0)
			c.expectSize(1, 1, 2)
			r.Go("outside", func() {
				c.Inject(c.task(nop))
				c.Resize(1)
				c.halfStop()
			})
		})
	})
	t.Run("three down to one", func(t *testing.T) {
		explore.Random(t, 8000, func(r *explore.Run) {
			c := newCrew(r, 3, 0)
			c.expectSize(1, 1, 1)
			r.Go("outside", func() {
				c.Resize(1)
				c.Inject(c.task(nop))
				for _, p := range c.all()[1:] { // all surplus ones go, though nothing wakes them
					for !p.retired.Load() {
						memory.SpinOnce()
					}
				}
				c.halfStop()
			})
		})
	})
	t.Run("down while another injects", func(t *testing.T) {
		explore.Random(t, 5000, func(r *explore.Run) {
			c := newCrew(r, 2, 0)
			c.expectSize(2, 1, 2)
			r.Go("outside", func() {
				c.Inject(c.late())
				c.Inject(c.late())
			})
			r.Go("resizer", func() {
				c.Resize(1)
				c.halfStop()
			})
		})
	})
	t.Run("down and up", func(t *testing.T) {
		explore.Exhaustive(t, 1, func(r *explore.Run) {
			c := newCrew(r, 2, 1)
			c.expectSize(1, 2, 2)
			r.Go("outside", func() {
				c.Resize(1)
				c.Inject(c.task(nop))
				c.Resize(2)
				c.halfStop()
			})
		})
	})
	t.Run("down with tasks in all queues", func(t *testing.T) {
		explore.Random(t, 8000, func(r *explore.Run) {
			c := newCrew(r, 2, 0)
			c.expectSize(6, 1, 2)
			task := func(p *Processor) {
				p.PushNext(c.task(nop))
				p.Hand(c.task(nop))
			}
			c.inbox.Add(&c.task(func(p *Processor) {
				p.Push(c.task(task))
				p.PushAt(Low, c.task(nop))
				p.PushBack(c.task(nop))
			}).Node)
			r.Go("outside", func() {
				c.Resize(1)
				c.halfStop()
			})
		})
	})
	t.Run("with a suspension", func(t *testing.T) {
		explore.Random(t, 5000, func(r *explore.Run) {
			c := newCrew(r, 1, 2)
			c.expectSize(2, 1, 2)
			var st Suspension
			r.Go("outside", func() {
				c.Inject(c.task(func(p *Processor) {
					p.Push(c.task(func(p *Processor) { st.Ready(p) }))
					st.Wait(p)
				}))
				c.Resize(2)
				c.Resize(1)
				c.halfStop()
			})
		})
	})
}
