//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// forkWorld is the set-up of an exploration: a scheduler that does not run, whose processors are
// model threads.
type forkWorld struct {
	r    *explore.Run
	rt   *Runtime
	at   []*sched.Processor
	ran  [4]atomics.Plain[int] // how often each argument was run; two runs at a time are a race
	fork func(c *Context, arg int) int
}

func newForkWorld(r *explore.Run, processors int) *forkWorld {
	w := &forkWorld{r: r, rt: &Runtime{}, at: sched.New(sched.Config{Processors: processors}).Processors()}
	w.fork = func(_ *Context, arg int) int {
		w.ran[arg].Set(w.ran[arg].Get() + 1)
		return 10 * arg
	}
	return w
}

// context returns a context without a processor, which sleeps on a parker.
func (w *forkWorld) context(p *sched.Processor) *Context {
	c := &Context{rt: w.rt}
	c.forks.begin()
	c.loseProcessor()
	c.worker.Store(w.rt.detachedWorker())
	c.forks.offer = p.Offer()
	return c
}

// await sleeps until j is done.
func (w *forkWorld) await(c *Context, j *job) {
	for !j.done() {
		c.sleep(j)
	}
}

// rounds forks and joins n times, each time with another argument. A job that was not stolen is
// used again.
func (w *forkWorld) rounds(c *Context, n int) {
	l := &forkStack[int, int]{fn: w.fork}
	c.forks.enter(nil, nil, l)
	for arg := range n {
		l.frames = append(l.frames, arg)
		if c.forks.offer.Empty() {
			c.publish()
		}
		got := 10 * arg
		if len(l.jobs) > 0 {
			b := l.jobs[0]
			if back, mine, again := b.retake(c); mine {
				if back != arg {
					w.r.Failf("took %d back, not %d", back, arg)
				}
				got = l.fn(c, back)
				if again {
					l.unused = b
				}
			} else {
				w.await(c, &b.job)
				got = b.result.Get()
			}
			l.drop()
		}
		if got != 10*arg {
			w.r.Failf("%d gave %d", arg, got)
		}
	}
	c.forks.leave()
}

// after checks that n arguments were run, once each.
func (w *forkWorld) after(n int) {
	w.r.After(func() {
		for arg := range n {
			if ran := w.ran[arg].Get(); ran != 1 {
				w.r.Failf("%d was run %d times", arg, ran)
			}
		}
	})
}

// steal takes what is offered, a few times.
func (w *forkWorld) steal(p *sched.Processor, tries int) {
	c := w.context(p)
	for range tries {
		if t := p.StealOffered(func(*sched.Task) bool { return true }); t != nil {
			if j := jobOf(t); j.claim(jobStolen) {
				j.steal(c)
			}
		}
	}
}

// TestExploreJob has a joiner fork and join again and again, and thieves steal: each branch is run
// once, and the joiner gets the result, and wakes if it sleeps.
func TestExploreJob(t *testing.T) {
	body := func(rounds, thieves, tries int) func(*explore.Run) {
		return func(r *explore.Run) {
			w := newForkWorld(r, 1+thieves)
			r.Go("joiner", func() { w.rounds(w.context(w.at[0]), rounds) })
			for i, name := range []string{"thief", "other"}[:thieves] {
				r.Go(name, func() { w.steal(w.at[1+i], tries) })
			}
			w.after(rounds)
		}
	}
	t.Run("one thief", func(t *testing.T) { explore.Exhaustive(t, 4, body(2, 1, 2)) })
	t.Run("two thieves", func(t *testing.T) { explore.Exhaustive(t, 2, body(2, 2, 1)) })
	t.Run("at random", func(t *testing.T) { explore.Random(t, 3000, body(4, 2, 3)) })
}

// TestExploreHusk has the joiner and a thief claim a job that lies in a deque.
func TestExploreHusk(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
		w := newForkWorld(r, 2)
		b := newBranch(w.fork)
		b.arg.Set(1)
		r.Go("joiner", func() {
			c := w.context(w.at[0])
			if arg, mine, again := b.retake(c); mine {
				if again {
					r.Failf("a job that others may see is used again")
				}
				b.fn(c, arg)
				return
			}
			w.await(c, &b.job)
			if got := b.result.Get(); got != 10 {
				r.Failf("got %d", got)
			}
		})
		r.Go("thief", func() {
			if b.claim(jobStolen) {
				b.steal(w.context(w.at[1]))
			}
		})
		r.After(func() {
			if w.ran[1].Get() != 1 {
				r.Failf("run %d times", w.ran[1].Get())
			}
		})
	})
}

// TestExploreHelping has a joiner, whose branch was stolen, help the thief with what that branch
// forks, and with nothing else, while an unrelated operation offers a job as well.
func TestExploreHelping(t *testing.T) {
	explore.Exhaustive(t, 2, func(r *explore.Run) {
		w := newForkWorld(r, 3)
		helped := 0
		outer := newBranch(func(c *Context, _ int) int {
			w.rounds(c, 2)
			return 1
		})
		outer.state.Store(jobStolen)
		r.Go("thief", func() { outer.steal(w.context(w.at[1])) })
		r.Go("unrelated", func() {
			l := &forkStack[int, int]{fn: w.fork}
			c := w.context(w.at[2])
			c.forks.enter(nil, nil, l)
			l.frames = append(l.frames, 3)
			c.publish()
			if _, mine, _ := l.jobs[0].retake(c); !mine {
				r.Failf("a helper ran a job that is no part of the branch")
			}
		})
		r.Go("joiner", func() {
			c := w.context(w.at[0])
			for range 2 {
				if t := w.at[0].StealOffered(func(t *sched.Task) bool { return jobOf(t).descendsFrom(&outer.job) }); t != nil {
					if j := jobOf(t); j.claim(jobStolen) {
						j.steal(c)
						helped++
					}
				}
			}
			w.await(c, &outer.job)
			if outer.result.Get() != 1 {
				r.Failf("not done")
			}
		})
		w.after(2)
	})
}
