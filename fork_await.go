package freerun

import (
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// What a join does while a thief has its branch:
//
//	A1  It helps: it runs jobs that were forked in that branch, from the offers of the processors
//	    that work for the branch. The join needs them done before it can go on. So helping never
//	    makes it late. Unrelated work would: a short join would be stuck behind a long job.
//	A2  When a few looks find no such job, it exposes all that it has forked itself, because no
//	    other goroutine reaches that while it sleeps.
//	A3  It gives its processor away, and sleeps until the thief is done.
//
// So each operation that waits holds a stack and no processor, and all processors work, however
// deep joins are nested.
//
// A job knows the job in which it was forked: its parent. To tell whether an offered job helps,
// the helper walks up the parents until it finds its own branch. The jobs above the offered job
// are stolen, so they do not change. The offered job itself may be used again meanwhile, but then
// it cannot be taken (sched.Processor.StealOffered).

// await returns when j, which a thief has, is done.
func (c *Context) await(j *job) {
	for wait := (backoff.Backoff{}); !wait.Spent(); wait.Wait() {
		for c.help(j) {
			wait = backoff.Backoff{}
		}
		if j.done() {
			c.rt.env.forks(c)
			return
		}
	}
	for !j.done() {
		c.sleep(j)
	}
	c.rt.env.forks(c)
}

// help runs a job that descends from j. It reports whether an offer held one.
func (c *Context) help(j *job) bool {
	w := c.worker.Load()
	if w.processor == nil {
		return false
	}
	t := w.processor.StealOffered(func(t *sched.Task) bool { return jobOf(t).descendsFrom(j) })
	if t == nil {
		return false
	}
	if k := jobOf(t); k.claim(jobStolen) {
		locked := threadlock.Held()
		k.steal(c)
		if !locked && threadlock.Held() {
			c.branchLeftLocked()
		}
	}
	return true
}

// descendsFrom reports whether j was forked in ancestor, or in a descendant of it. Any goroutine.
func (j *job) descendsFrom(ancestor *job) bool {
	for up := j.parent.Load(); up != nil; up = up.parent.Load() {
		if up == ancestor {
			return true
		}
	}
	return false
}

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
		c.loseProcessor()
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

// loseProcessor records that the operation has no processor any more. The caller has exposed all
// its forks. What it forks from now on runs in sequence.
func (c *Context) loseProcessor() {
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
		sched.NoteWoken()
		return
	}
	c.forks.suspension.ReadyAt(c.priority(), p)
}
