//go:build explore

package sched

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// world is a scheduler whose processors are model threads. It ends when the given number of jobs
// have run. A job that no processor comes for leaves the processors parked, and the explorer
// reports that.
type world struct {
	*Scheduler
	r    *explore.Run
	left int
	jobs []*job
}

var names = [...]string{"P0", "P1", "P2"}

// newWorld makes a scheduler for the given number of jobs.
func newWorld(r *explore.Run, processors, jobs int) *world {
	w := &world{Scheduler: New(Config{Processors: processors}), r: r, left: jobs}
	w.monitor = newMonitor(w.Scheduler)
	w.monitor.pace.Store(paceFast) // nothing arms it
	for i, p := range w.all() {
		r.Go(names[i], func() {
			h := w.newHost()
			p.host.Store(h)
			h.acquire(p)
			h.work()
		})
	}
	r.After(func() {
		for i, j := range w.jobs {
			if j.ran.Load() != 1 {
				r.Failf("job %d ran %d times", i, j.ran.Load())
			}
		}
		if w.hasWork() {
			r.Failf("something is left")
		}
	})
	return w
}

// job makes a task that calls do and counts. The last one ends the scheduler.
func (w *world) job(do func(p *Processor)) *Task {
	j := newJob(func(p *Processor) {
		if do != nil {
			do(p)
		}
		if w.left--; w.left == 0 {
			w.finish()
		}
	})
	w.jobs = append(w.jobs, j)
	return &j.Task
}

// TestExploreParking injects tasks from outside while processors go to sleep: a processor comes
// for each.
func TestExploreParking(t *testing.T) {
	t.Run("one processor", func(t *testing.T) {
		explore.Exhaustive(t, 3, func(r *explore.Run) {
			w := newWorld(r, 1, 2)
			r.Go("outside", func() {
				w.Inject(w.job(nil))
				w.Inject(w.job(nil))
			})
		})
	})
	t.Run("one processor, two priorities", func(t *testing.T) {
		explore.Exhaustive(t, 3, func(r *explore.Run) {
			w := newWorld(r, 1, 2)
			r.Go("outside", func() {
				w.InjectAt(Low, w.job(nil))
				w.InjectAt(High, w.job(nil))
			})
		})
	})
	for _, pr := range []Priority{High, Idle} {
		t.Run("two processors, "+pr.String(), func(t *testing.T) {
			explore.Exhaustive(t, 2, func(r *explore.Run) {
				w := newWorld(r, 2, 1)
				r.Go("outside", func() { w.InjectAt(pr, w.job(nil)) })
			})
		})
	}
	t.Run("two processors", func(t *testing.T) {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			w := newWorld(r, 2, 1)
			r.Go("outside", func() { w.Inject(w.job(nil)) })
		})
	})
	for name, other := range map[string]Priority{"two from outside": Normal, "two from outside, one low": Low, "two from outside, one high": High} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 1, func(r *explore.Run) {
				w := newWorld(r, 2, 2)
				r.Go("outside", func() { w.Inject(w.job(nil)) })
				r.Go("elsewhere", func() { w.InjectAt(other, w.job(nil)) })
			})
		})
	}
}

// TestExploreWaking has tasks queue others, by each way there is, while the other processor goes
// to sleep.
func TestExploreWaking(t *testing.T) {
	for name, queue := range map[string]func(p *Processor, t *Task){
		"deque": func(p *Processor, t *Task) { p.Push(t) },
		"ring":  func(p *Processor, t *Task) { p.PushBack(t) },
		"slot":  func(p *Processor, t *Task) { p.PushNext(t) },
		"hand":  func(p *Processor, t *Task) { p.Hand(t) },

		"deque, high": func(p *Processor, t *Task) { p.PushAt(High, t) },
		"ring, idle":  func(p *Processor, t *Task) { p.PushBackAt(Idle, t) },
		"inbox, low":  func(p *Processor, t *Task) { p.scheduler.InjectAt(Low, t) },
		"slot and high": func(p *Processor, t *Task) {
			if p.slot.filled() {
				p.PushBackAt(High, t)
			} else {
				p.PushNext(t)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 2, func(r *explore.Run) {
				w := newWorld(r, 2, 3)
				w.inbox.Add(&w.job(func(p *Processor) {
					queue(p, w.job(nil))
					queue(p, w.job(nil))
				}).Node)
			})
		})
	}
}

// TestExploreHelp has a task wait for one that it has queued. That is against the rules, and shows
// whether the other processor comes for it, asleep, about to sleep, or searching.
func TestExploreHelp(t *testing.T) {
	for name, queue := range map[string]func(p *Processor, t *Task){
		"deque": func(p *Processor, t *Task) { p.Push(t) },
		"ring":  func(p *Processor, t *Task) { p.PushBack(t) },
		"offer": func(p *Processor, t *Task) { p.Offer().Put(t) },

		"deque, low":  func(p *Processor, t *Task) { p.PushAt(Low, t) },
		"ring, high":  func(p *Processor, t *Task) { p.PushBackAt(High, t) },
		"inbox, high": func(p *Processor, t *Task) { p.scheduler.InjectAt(High, t) },
	} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 2, func(r *explore.Run) {
				w := newWorld(r, 2, 2)
				var helped atomics.Bool
				w.inbox.Add(&w.job(func(p *Processor) {
					queue(p, w.job(func(*Processor) { helped.Store(true) }))
					for !helped.Load() {
						memory.SpinOnce()
					}
				}).Node)
			})
		})
	}
}

// awaits makes a task that waits for the flags of others and then sets its own.
func (w *world) awaits(own *atomics.Bool, others ...*atomics.Bool) *Task {
	return w.job(func(*Processor) {
		for _, other := range others {
			for !other.Load() {
				memory.SpinOnce()
			}
		}
		own.Store(true)
	})
}

// TestExploreMoreHelp has tasks wait for each other in a chain: each processor that comes must
// ensure that the next one comes.
func TestExploreMoreHelp(t *testing.T) {
	t.Run("two in the inbox", func(t *testing.T) {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			w := newWorld(r, 2, 2)
			var first, second atomics.Bool
			r.Go("outside", func() {
				older, newer := w.awaits(&first, &second), w.awaits(&second)
				newer.Link(&older.Node)
				w.inbox.AddChain(&newer.Node, &older.Node)
				w.wakeOne()
			})
		})
	})
	t.Run("two in the deque", func(t *testing.T) {
		explore.Random(t, 3000, func(r *explore.Run) {
			w := newWorld(r, 3, 3)
			var first, second, third atomics.Bool
			w.inbox.Add(&w.job(func(p *Processor) {
				p.Push(w.awaits(&second, &third))
				p.Push(w.awaits(&third))
				for !second.Load() {
					memory.SpinOnce()
				}
				first.Store(true)
			}).Node)
		})
	})
}

// TestExploreSpill overfills a ring, whose older half goes to the inbox, while the other processor
// steals.
func TestExploreSpill(t *testing.T) {
	const jobs = ringSize + 2
	explore.Random(t, 3000, func(r *explore.Run) {
		w := newWorld(r, 2, 1+jobs)
		w.inbox.Add(&w.job(func(p *Processor) {
			for range jobs {
				p.PushBack(w.job(nil))
			}
		}).Node)
	})
}

// TestExploreMany combines all at random: two goroutines outside, three processors, tasks that
// queue tasks each way.
func TestExploreMany(t *testing.T) {
	explore.Random(t, 3000, func(r *explore.Run) {
		w := newWorld(r, 3, 8)
		r.Go("outside", func() {
			w.Inject(w.job(func(p *Processor) {
				p.Push(w.job(func(p *Processor) { p.Push(w.job(nil)) }))
				p.PushBack(w.job(nil))
			}))
			w.Inject(w.job(func(p *Processor) {
				p.PushNext(w.job(func(p *Processor) { p.Hand(w.job(nil)) }))
			}))
			w.Inject(w.job(nil))
		})
	})
}

// TestExploreManyLevels is TestExploreMany with all priorities.
func TestExploreManyLevels(t *testing.T) {
	explore.Random(t, 3000, func(r *explore.Run) {
		w := newWorld(r, 3, 8)
		r.Go("outside", func() {
			w.InjectAt(Low, w.job(func(p *Processor) {
				p.PushAt(High, w.job(func(p *Processor) { p.PushBackAt(Idle, w.job(nil)) }))
				p.PushBackAt(Low, w.job(nil))
			}))
			w.InjectAt(High, w.job(func(p *Processor) {
				p.PushNext(w.job(func(p *Processor) { p.Hand(w.job(nil)) }))
			}))
			w.InjectAt(Idle, w.job(nil))
		})
	})
}
