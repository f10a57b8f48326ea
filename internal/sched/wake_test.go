package sched

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestNoLostWakeUp injects single tasks into a scheduler that sleeps, or is about to.
func TestNoLostWakeUp(t *testing.T) {
	const rounds = 1_500
	for _, processors := range []int{1, 2, 4, 8} {
		s := started(t, processors)
		for round := range rounds {
			if round%4 == 0 {
				awaitParked(t, s)
			}
			for range round % 7 {
				runtime.Gosched() // so that processors are met on their way to sleep
			}
			done := make(chan struct{})
			s.InjectAt(Priority(round%priorities), &newJob(func(*Processor) { close(done) }).Task)
			await(t, "the injected task", done)
		}
	}
}

// TestWakeUpFromInside has a running task queue another one and wait for it: another processor
// must come for it, however the two meet. (To wait for another task is against the rules, and
// makes a missing wake-up visible.)
func TestWakeUpFromInside(t *testing.T) {
	const rounds = 1_500
	for name, queue := range map[string]func(p *Processor, t *Task){
		"deque": func(p *Processor, t *Task) { p.Push(t) },
		"ring":  func(p *Processor, t *Task) { p.PushBack(t) },
		"inbox": func(p *Processor, t *Task) { p.scheduler.Inject(t) },

		"deque, high": func(p *Processor, t *Task) { p.PushAt(High, t) },
		"ring, low":   func(p *Processor, t *Task) { p.PushBackAt(Low, t) },
		"next, low":   func(p *Processor, t *Task) { p.PushNextAt(Low, t) },
		"inbox, idle": func(p *Processor, t *Task) { p.scheduler.InjectAt(Idle, t) },
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, 2)
			for round := range rounds {
				done := make(chan struct{})
				s.Inject(&newJob(func(p *Processor) {
					for range round % 50 {
						runtime.Gosched() // meets the other processor where it gives up its search
					}
					inner := make(chan struct{})
					queue(p, &newJob(func(*Processor) { close(inner) }).Task)
					<-inner
					close(done)
				}).Task)
				await(t, "a task that waits for one that it queued", done)
			}
		})
	}
}

// TestEveryProcessorIsWoken queues as many tasks as there are processors, which wait for each
// other: each processor must come.
func TestEveryProcessorIsWoken(t *testing.T) {
	const rounds = 150
	for name, queue := range map[string]func(s *Scheduler, p *Processor, tasks []*job){
		"injected one by one": func(s *Scheduler, _ *Processor, tasks []*job) {
			for _, j := range tasks {
				s.Inject(&j.Task)
			}
		},
		"injected as one": func(s *Scheduler, _ *Processor, tasks []*job) {
			for i := range tasks[1:] {
				tasks[i+1].Link(&tasks[i].Node)
			}
			s.inbox.AddChain(&tasks[len(tasks)-1].Node, &tasks[0].Node)
			s.wakeOne()
		},
		"pushed": func(_ *Scheduler, p *Processor, tasks []*job) {
			for _, j := range tasks {
				p.Push(&j.Task)
			}
		},
		"pushed back": func(_ *Scheduler, p *Processor, tasks []*job) {
			for _, j := range tasks {
				p.PushBack(&j.Task)
			}
		},
		"injected with each priority": func(s *Scheduler, _ *Processor, tasks []*job) {
			for i, j := range tasks {
				s.InjectAt(Priority(i%priorities), &j.Task)
			}
		},
		"pushed with each priority": func(_ *Scheduler, p *Processor, tasks []*job) {
			for i, j := range tasks {
				p.PushAt(Priority(i%priorities), &j.Task)
			}
		},
		"pushed back with one priority": func(_ *Scheduler, p *Processor, tasks []*job) {
			for _, j := range tasks {
				p.PushBackAt(Low, &j.Task)
			}
		},
		"pushed and pushed back": func(_ *Scheduler, p *Processor, tasks []*job) {
			for i, j := range tasks {
				if i%2 == 0 {
					p.Push(&j.Task)
				} else {
					p.PushBack(&j.Task)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, processors := range []int{2, 4, 8} {
				s := started(t, processors)
				for round := range rounds {
					if round%3 == 0 {
						awaitParked(t, s)
					}
					var arrived atomic.Int32
					met, all := make(chan struct{}), make(chan struct{}, processors)
					tasks := make([]*job, processors)
					for i := range tasks {
						tasks[i] = newJob(func(*Processor) {
							if arrived.Add(1) == int32(processors) {
								close(met)
							}
							<-met
							all <- struct{}{}
						})
					}
					s.Inject(&newJob(func(p *Processor) { queue(s, p, tasks) }).Task)
					for range processors {
						await(t, "all processors to meet", all)
					}
				}
			}
		})
	}
}

// TestShareIsStolen injects a batch larger than a ring, whose first task waits for all others: the
// other processor must find the share of the first one's processor.
func TestShareIsStolen(t *testing.T) {
	const count = 3 * ringSize
	s := started(t, 2)
	for range 50 {
		var ran atomic.Int32
		others, done := make(chan struct{}), make(chan struct{})
		first := newJob(func(*Processor) {
			<-others
			close(done)
		})
		newest := &first.Task
		for range count {
			j := newJob(func(*Processor) {
				if ran.Add(1) == count {
					close(others)
				}
			})
			j.Link(&newest.Node)
			newest = &j.Task
		}
		s.inbox.AddChain(&newest.Node, &first.Node)
		s.wakeOne()
		await(t, "a batch", done)
	}
}

// TestHasWork puts a task into each of the places that tasks wait in, of a scheduler that does not
// run.
func TestHasWork(t *testing.T) {
	for name, put := range map[string]func(p *Processor, t *Task){
		"inbox":     func(p *Processor, t *Task) { p.scheduler.Inject(t) },
		"ring":      func(p *Processor, t *Task) { p.PushBack(t) },
		"deque":     func(p *Processor, t *Task) { p.Push(t) },
		"share":     func(p *Processor, t *Task) { p.share.Store(&t.Node) },
		"open slot": func(p *Processor, t *Task) { p.slot.put(t); p.slotOpen.Store(true) },

		"inbox of high": func(p *Processor, t *Task) { p.scheduler.InjectAt(High, t) },
		"inbox of idle": func(p *Processor, t *Task) { p.scheduler.InjectAt(Idle, t) },
		"ring of low":   func(p *Processor, t *Task) { p.PushBackAt(Low, t) },
		"deque of high": func(p *Processor, t *Task) { p.PushAt(High, t) },
		"share of idle": func(p *Processor, t *Task) { p.own(Idle).share.Store(&t.Node) },
	} {
		s := New(Config{Processors: 3})
		thief, victim := s.all()[0], s.all()[2]
		if s.hasWork() {
			t.Fatal("a new scheduler has work")
		}
		j := newJob(nop)
		put(victim, &j.Task)
		if !s.hasWork() {
			t.Errorf("a task in the %s is not seen", name)
		}
		thief.scheduler.census.beginSearch()
		if thief.search() != &j.Task || s.hasWork() {
			t.Errorf("a task in the %s is not found", name)
		}
	}
}

func TestInjectBeforeStart(t *testing.T) {
	s, early := New(Config{Processors: 2}), jobs(20)
	for _, j := range early {
		s.Inject(&j.Task)
	}
	s.Start()
	t.Cleanup(func() { stop(t, s) })
	for _, j := range early {
		until(t, "what was injected before the start", func() bool { return j.ran.Load() == 1 })
	}
}
