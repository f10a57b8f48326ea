//go:build explore

package sched

import (
	"strconv"
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
			explore.Exhaustive(t, 2, help(queue))
		})
	}
}

// help has a task wait for one that it has queued.
func help(queue func(p *Processor, t *Task)) func(r *explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r, 2, 2)
		w.inbox.Add(&w.helped(queue).Node)
	}
}

// helped makes a task that waits for one that it has queued.
func (w *world) helped(queue func(p *Processor, t *Task)) *Task {
	return w.job(func(p *Processor) {
		var helped atomics.Bool
		queue(p, w.job(func(*Processor) { helped.Store(true) }))
		for !helped.Load() {
			memory.SpinOnce()
		}
	})
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

// allow sets how many processors may search, for one test.
func allow(t *testing.T, searchers int) {
	before := leastSearchers
	leastSearchers = searchers
	t.Cleanup(func() { leastSearchers = before })
}

// without leaves a step of the protocol out, for a control.
func without(t *testing.T, step *bool) {
	*step = false
	t.Cleanup(func() { *step = true })
}

// single has a task come from outside while all processors go to sleep.
func single(processors int) func(r *explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r, processors, 1)
		r.Go("outside", func() { w.Inject(w.job(nil)) })
	}
}

// pair has two tasks come at a time, of which the first waits for the second.
func pair(processors int) func(r *explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r, processors, 2)
		var first, second atomics.Bool
		r.Go("outside", func() { w.Inject(w.awaits(&first, &second)) })
		r.Go("elsewhere", func() { w.Inject(w.awaits(&second)) })
	}
}

// chain has a task queue two others, all of which wait for each other.
func chain(r *explore.Run) {
	w := newWorld(r, 3, 3)
	var first, second, third atomics.Bool
	r.Go("outside", func() {
		w.Inject(w.job(func(p *Processor) {
			p.Push(w.awaits(&second, &third))
			p.Push(w.awaits(&third))
			for !second.Load() {
				memory.SpinOnce()
			}
			first.Store(true)
		}))
	})
}

// TestExploreSearchers lets two processors search at a time, though few work: a task is found
// whichever of them leaves the search last.
func TestExploreSearchers(t *testing.T) {
	allow(t, 2)
	t.Run("one task", func(t *testing.T) { explore.Exhaustive(t, 2, single(2)) })
	t.Run("two tasks", func(t *testing.T) { explore.Exhaustive(t, 1, pair(2)) })
	t.Run("three processors", func(t *testing.T) { explore.Random(t, 3000, single(3)) })
	t.Run("chain", func(t *testing.T) { explore.Random(t, 3000, chain) })
}

// TestExploreLastLook holds that the explorations above find the lost wake-up of a protocol without
// the look of the last searcher, with one searcher and with two.
func TestExploreLastLook(t *testing.T) {
	for _, searchers := range []int{1, 2} {
		t.Run(strconv.Itoa(searchers)+" of a parker", func(t *testing.T) {
			allow(t, searchers)
			without(t, &lastLookOfParker)
			explore.MustFail(t, 2, single(2))
		})
		t.Run(strconv.Itoa(searchers)+" of a finder", func(t *testing.T) {
			allow(t, searchers)
			without(t, &lastLookOfFinder)
			explore.MustFail(t, 2, pair(2))
		})
	}
}

// TestExploreLone has two tasks wait, each for a task that it has queued, which is alone in its
// queue: the third processor passes over both, and comes for both.
func TestExploreLone(t *testing.T) {
	for _, searchers := range []int{1, 2} {
		t.Run(strconv.Itoa(searchers), func(t *testing.T) {
			allow(t, searchers)
			explore.Random(t, 3000, func(r *explore.Run) {
				w := newWorld(r, 3, 4)
				r.Go("outside", func() {
					w.Inject(w.helped(func(p *Processor, t *Task) { p.Push(t) }))
					w.Inject(w.helped(func(p *Processor, t *Task) { p.PushBack(t) }))
				})
			})
		})
	}
}

// TestExploreLoneRounds is TestExploreLone with one searcher whose second look is of the same
// search.
func TestExploreLoneRounds(t *testing.T) {
	searchRounds = 2
	t.Cleanup(func() { searchRounds = 1 })
	for name, queue := range map[string]func(p *Processor, t *Task){
		"deque": func(p *Processor, t *Task) { p.Push(t) },
		"ring":  func(p *Processor, t *Task) { p.PushBack(t) },
	} {
		t.Run(name, func(t *testing.T) { explore.Exhaustive(t, 1, help(queue)) })
	}
}

// loot has the second processor steal two of three tasks outside a search, of which the first waits
// for the second. The victim runs the third and goes to sleep meanwhile.
func loot(r *explore.Run) {
	w := newWorld(r, 2, 3)
	victim := w.all()[0]
	var first, second atomics.Bool
	for _, t := range []*Task{w.awaits(&first, &second), w.awaits(&second), w.job(nil)} {
		victim.own(High).ring.push(t)
	}
	victim.markHeld(High)
}

// TestExploreLoot explores a theft outside a search: the thief wakes a processor for what it has
// queued, because no goroutine saw that between the two rings. The control leaves this out.
func TestExploreLoot(t *testing.T) {
	explore.Exhaustive(t, 2, loot)
	t.Run("no wake-up", func(t *testing.T) {
		without(t, &wakesForLoot)
		explore.MustFail(t, 2, loot)
	})
}

// TestExploreLoneControls holds that the explorations find the lost wake-up of a protocol in which
// a task that is alone wakes no processor, and the task that is never run if searchers pass over it
// for ever.
func TestExploreLoneControls(t *testing.T) {
	for name, step := range map[string]*bool{"no wake-up": &wakesForOne, "no second look": &takesAtSecondLook} {
		t.Run(name, func(t *testing.T) {
			without(t, step)
			explore.MustFail(t, 2, help(func(p *Processor, t *Task) { p.Push(t) }))
		})
	}
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
