package freerun

import (
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// What a join does while a thief has its branch:
//
//	A1  it helps: it runs what that branch has forked in turn, from the offer of whoever works for it. That is work which must be
//	    done before the join can go on anyway, so helping never makes it late, as other work would: a short join is not stuck behind a long job that
//	    it happened to take
//	A2  when there is nothing of that kind for a few looks, it lays all that it has forked itself open, as nobody else can reach that, and
//	A3  gives its processor away and sleeps, until the thief is done
//
// So each operation that waits holds a stack and no processor, and however deep joins are nested, all processors work.
//
// A thief's offer tells whose work it is: a job knows the one that it was forked in, and so on up. Whoever looks for help walks up from the
// offered job until it finds its own. Jobs above the offered one are stolen, so they do not change; the offered one may be used again meanwhile,
// but then it cannot be taken (sched.Processor.StealOffered).

// await returns when j, which is stolen, is done.
func (c *Context) await(j *job) {
	for wait := (backoff.Backoff{}); !wait.Spent(); wait.Wait() {
		for c.help(j) {
			wait = backoff.Backoff{}
		}
		if j.done() {
			return
		}
	}
	for !j.done() {
		c.sleep(j)
	}
}

// help runs a job that descends from j, if there is one in an offer.
func (c *Context) help(j *job) bool {
	s := c.worker.Load()
	if s.processor == nil {
		return false
	}
	t := s.processor.StealOffered(func(t *sched.Task) bool { return jobOf(t).descendsFrom(j) })
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

// descendsFrom reports whether j was forked in ancestor, or in what was forked in it, and so on. Any goroutine.
func (j *job) descendsFrom(ancestor *job) bool {
	for up := j.parent.Load(); up != nil; up = up.parent.Load() {
		if up == ancestor {
			return true
		}
	}
	return false
}
