//go:build explore

package sched

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// crew is a scheduler with all its hosts: the goroutine of each is a model thread, also of those
// started later. It ends when it is stopped, and nothing is left then.
type crew struct {
	*Scheduler
	r       *explore.Run
	reserve []*reservist
	over    memory.Context // done when the last host ends
	ran     int
}

// reservist is a thread that waits to become the goroutine of a new host.
type reservist struct {
	parker *park.Parker
	live   func()
}

// newCrew makes a scheduler with as many hosts as processors, and reserve more threads for hosts
// that are started later.
func newCrew(r *explore.Run, processors, reserve int) *crew {
	c := &crew{Scheduler: New(Config{Processors: processors}), r: r}
	c.monitor = newMonitor(c.Scheduler)
	c.monitor.pace.Store(paceFast) // nothing arms it
	c.serving.Store(int32(processors))
	for i, p := range c.all() {
		c.spawn = func(_ *Host, live func()) { r.Go(names[i], func() { c.live(live) }) }
		c.launch(p)
	}
	for i := range reserve {
		one := &reservist{parker: park.New()}
		c.reserve = append(c.reserve, one)
		r.Go([...]string{"H0", "H1"}[i], func() {
			for one.parker.ParkContext(&c.over) == nil {
				c.live(one.live)
				one.live = nil
			}
		})
	}
	c.spawn = func(_ *Host, live func()) {
		for _, one := range c.reserve {
			if one.live == nil {
				one.live = live
				one.parker.Unpark()
				return
			}
		}
		if !memory.Current.Freed {
			r.Failf("more hosts than threads")
		}
	}
	return c
}

func (c *crew) live(live func()) {
	live()
	if c.alive.Load() == 0 {
		c.over.Cancel()
	}
}

// expect declares how many tasks must have run at the end.
func (c *crew) expect(tasks int) { c.r.After(func() { c.check(tasks) }) }

func (c *crew) check(tasks int) {
	if c.ran != tasks {
		c.r.Failf("%d tasks were run to their end, want %d", c.ran, tasks)
	}
	if c.hasWork() || c.census.word.Load()/oneAway > 0 || !c.stopped.Load() || c.alive.Load() > 0 {
		c.r.Failf("something is left")
	}
}

// task makes a task that counts when it has ended.
func (c *crew) task(do func(p *Processor)) *Task {
	return &newJob(func(p *Processor) {
		do(p)
		c.ran++
	}).Task
}

// late makes a task that may also be discarded, if it is queued after the end. It counts either
// way.
func (c *crew) late() *Task {
	t := c.task(nop)
	t.Kind = &Kind{Run: jobKind.Run, Discard: func(*Task) { c.ran++ }}
	return t
}

// halfStop is Stop, as far as a model thread can go.
func (c *crew) halfStop() {
	c.stopping.Store(true)
	if c.census.idle() {
		c.finish()
	}
}

// TestExploreLeave has a task leave its processor while another is queued from outside and the
// scheduler is stopped: both run.
func TestExploreLeave(t *testing.T) {
	t.Run("and queue", func(t *testing.T) {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			c := newCrew(r, 1, 1)
			c.expect(2)
			c.inbox.Add(&c.task(func(p *Processor) {
				p.Leave()
				c.Inject(c.task(nop))
			}).Node)
			r.Go("outside", c.halfStop)
		})
	})
	t.Run("with two processors", func(t *testing.T) {
		explore.Exhaustive(t, 1, func(r *explore.Run) {
			c := newCrew(r, 2, 1)
			c.expect(3)
			c.inbox.Add(&c.task(func(p *Processor) {
				p.Push(c.task(nop))
				p.Push(c.task(nop))
				p.Leave()
			}).Node)
			r.Go("outside", c.halfStop)
		})
	})
}

// TestExploreLate queues a task from outside while the scheduler ends: it is run or discarded.
func TestExploreLate(t *testing.T) {
	explore.Exhaustive(t, 2, func(r *explore.Run) {
		c := newCrew(r, 1, 0)
		c.expect(1)
		r.Go("outside", func() { c.Inject(c.late()) })
		r.Go("stopper", c.halfStop)
	})
}

// TestExploreSuspension has a task wait for another task, or for a goroutine outside: it
// continues, with a processor, in every order of the two.
func TestExploreSuspension(t *testing.T) {
	waiting := func(c *crew, st *Suspension) func(p *Processor) {
		return func(p *Processor) {
			q := st.Wait(p)
			if q == nil || q.host.Load().processor != q || q.Running() == nil {
				c.r.Failf("after the wait, the task does not run on a processor")
			}
		}
	}
	t.Run("for a task", func(t *testing.T) {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			c := newCrew(r, 1, 1)
			c.expect(2)
			var st Suspension
			c.inbox.Add(&c.task(func(p *Processor) {
				p.Push(c.task(func(p *Processor) { st.Ready(p) }))
				waiting(c, &st)(p)
			}).Node)
			r.Go("outside", c.halfStop)
		})
	})
	t.Run("for a task on another processor", func(t *testing.T) {
		explore.Exhaustive(t, 1, func(r *explore.Run) {
			c := newCrew(r, 2, 1)
			c.expect(2)
			var st Suspension
			c.inbox.Add(&c.task(func(p *Processor) {
				p.Push(c.task(func(p *Processor) { st.Ready(p) }))
				waiting(c, &st)(p)
			}).Node)
			r.Go("outside", c.halfStop)
		})
	})
	t.Run("for something outside", func(t *testing.T) {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			c := newCrew(r, 1, 1)
			c.expect(1)
			var st Suspension
			c.inbox.Add(&c.task(waiting(c, &st)).Node)
			r.Go("outside", func() { st.Ready(nil) })
			r.Go("stopper", c.halfStop)
		})
	})
	t.Run("twice", func(t *testing.T) {
		explore.Random(t, 3000, func(r *explore.Run) {
			c := newCrew(r, 1, 2)
			c.expect(3)
			var first, second Suspension
			c.inbox.Add(&c.task(func(p *Processor) {
				p.Push(c.task(func(p *Processor) {
					waiting(c, &second)(p)
					first.Ready(CurrentHost().Processor())
				}))
				p.Push(c.task(func(p *Processor) { second.Ready(p) }))
				waiting(c, &first)(p)
			}).Node)
			r.Go("outside", c.halfStop)
		})
	})
}

// TestExploreSpares has hosts become spares, be taken, and end, all at the same time: a processor
// that is given away is never lost.
func TestExploreSpares(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		c := New(Config{Processors: 1})
		got := 0
		for _, name := range []string{"spare", "other spare"} {
			h := c.newHost()
			r.Go(name, func() {
				if h.standBy() != nil {
					got++
				}
			})
		}
		given := 0
		r.Go("giver", func() {
			if h := c.spares.take(); h != nil {
				h.give(c.all()[0])
				given++
			}
		})
		r.Go("end", c.finish)
		r.After(func() {
			if got != given || c.spares.take() != nil {
				r.Failf("%d processors given away, %d received, or a spare was left behind", given, got)
			}
		})
	})
}
