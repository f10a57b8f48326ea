package sched

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

func (s *Scheduler) inService() int { return s.census.serving() }

// meet runs as many tasks as there should be processors, which wait for each other, and checks the
// census while they all run.
func meet(t *testing.T, s *Scheduler, n int) {
	t.Helper()
	until(t, "the processors that are too many to go", func() bool { return s.inService() == n })
	var arrived atomic.Int32
	met, all := make(chan struct{}), make(chan struct{}, n)
	for range n {
		s.Inject(&newJob(func(*Processor) {
			if arrived.Add(1) == int32(n) {
				if w := s.census.word.Load(); awakeIn(w) != n || servingIn(w) != n || searchingIn(w) != 0 {
					t.Errorf("%d in service, %d awake, %d searching, want %d, all running", servingIn(w), awakeIn(w), searchingIn(w), n)
				}
				close(met)
			}
			<-met
			all <- struct{}{}
		}).Task)
	}
	for range n {
		await(t, "all processors to meet", all)
	}
}

// TestResize changes the number of processors, up and down, asleep and awake, and counts how many
// tasks can run at the same time.
func TestResize(t *testing.T) {
	locals := atomic.Int32{}
	s := New(Config{Processors: 2, Added: func(p *Processor) { p.Local = locals.Add(1) }})
	s.Start()
	t.Cleanup(func() { stop(t, s) })
	most := 2
	for i, n := range []int{1, 2, 5, 3, 130, 1, 7, 7, 64, 2, 1, 3} {
		if i%2 == 0 {
			awaitParked(t, s)
		}
		s.Resize(n)
		meet(t, s, n)
		most = max(most, n)
	}
	if all := s.Processors(); len(all) != most || int(locals.Load()) != most-2 {
		t.Errorf("there are %d processors, of which %d were added, want %d, 2 of them from the start", len(all), locals.Load(), most)
	}
	awaitParked(t, s)
	until(t, "the hosts that are too many to end", func() bool { return int(s.alive.Load()) <= 3+len(s.spares) })
}

// TestResizeGivesAway has the processor that must go queue tasks everywhere before its task
// returns: the one that stays runs all of them.
func TestResizeGivesAway(t *testing.T) {
	const count = 900
	for range 20 {
		s := started(t, 2)
		var blockers []*blocker
		all := jobs(count)
		var running atomic.Int32
		resized := make(chan struct{})
		for range 2 {
			b := newBlocker(func(p *Processor) {
				running.Add(1)
				if p.Index() == 0 {
					return
				}
				<-resized
				for i, j := range all {
					switch i % 6 {
					case 0:
						p.Push(&j.Task)
					case 1:
						p.PushBack(&j.Task)
					case 2:
						p.PushNext(&j.Task)
					case 3:
						p.Hand(&j.Task)
					case 4:
						p.PushAt(High, &j.Task)
					case 5:
						p.PushBackAt(Idle, &j.Task)
					}
				}
				p.counters.steps.Store(surplusTurn) // it looks at once
			})
			s.Inject(&b.Task)
			blockers = append(blockers, b)
		}
		until(t, "both processors to run", func() bool { return running.Load() == 2 })
		s.Resize(1)
		close(resized)
		for _, b := range blockers {
			await(t, "the tasks", b.runs)
			close(b.release)
		}
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Error(err)
		}
		for i, j := range all {
			if j.ran.Load() != 1 {
				t.Fatalf("task %d ran %d times", i, j.ran.Load())
			}
		}
		until(t, "one processor to go", func() bool { return s.inService() == 1 && s.Processors()[1].retired.Load() })
	}
}

// TestResizeStress changes the number of processors all the time while trees of tasks run that
// wait, leave and end their goroutines, and single tasks are injected beside them. Each task must
// run.
func TestResizeStress(t *testing.T) {
	const depth, trees, rounds, most = 8, 6, 800, 6
	seed := replay.Seed(t)
	s := New(Config{Processors: 3, Crashed: func(_ *Host, _ *Task, value any, _ []byte) {
		if value != nil {
			t.Error(value)
		}
	}})
	s.Start()
	t.Cleanup(func() { stop(t, s) })
	f := &fork{T: t, random: rand.New(rand.NewPCG(seed, 0))}
	for range trees {
		j := newJob(nil)
		j.do = func(p *Processor) { f.tree(p, &j.Task, depth) }
		s.Inject(&j.Task)
	}
	var finished atomic.Bool
	var resizing sync.WaitGroup
	for i := range uint64(2) {
		random := rand.New(rand.NewPCG(seed, 1+i))
		resizing.Go(func() {
			for !finished.Load() {
				s.Resize(1 + random.IntN(most))
				for range random.IntN(20) {
					runtime.Gosched()
				}
			}
		})
	}
	for round := range rounds {
		done := make(chan struct{})
		s.Inject(&newJob(func(p *Processor) {
			p.PushBack(&newJob(func(*Processor) { close(done) }).Task)
			p.Push(&newJob(nop).Task)
		}).Task)
		if round%2 == 0 {
			await(t, "a task", done)
		}
	}
	if err := s.AwaitIdle(t.Context(), always); err != nil {
		t.Error(err)
	}
	finished.Store(true)
	resizing.Wait()
	if n := f.leaves.Load(); n != trees<<depth {
		t.Errorf("%d leaves, want %d", n, trees<<depth)
	}
	s.Resize(most)
	meet(t, s, most)
	s.Resize(1)
	meet(t, s, 1)
}

// TestResizeWhileStopping stops a scheduler that other goroutines resize and inject into: each
// task is run or discarded, once, and no goroutine is left.
func TestResizeWhileStopping(t *testing.T) {
	const rounds, each = 100, 60
	for range rounds {
		s := New(Config{Processors: 2})
		s.Start()
		all := jobs(each)
		var others sync.WaitGroup
		others.Go(func() {
			for _, j := range all {
				s.Inject(&j.Task)
			}
		})
		others.Go(func() {
			for i := range 30 {
				s.Resize(1 + i%4)
			}
		})
		if stuck := s.Stop(time.After(patience)); len(stuck) > 0 {
			hang(t, "the processors to end")
		}
		others.Wait()
		for i, j := range all {
			if j.ran.Load()+j.discarded.Load() != 1 {
				t.Fatalf("task %d ran %d times and was discarded %d times", i, j.ran.Load(), j.discarded.Load())
			}
		}
		s.Resize(5)
		if n := len(s.Processors()); n > 4 {
			t.Errorf("after Stop, there are %d processors", n)
		}
	}
}

// TestFollowGo changes GOMAXPROCS. A scheduler without a given number gets as many processors once
// the monitor has looked, which it does while tasks run and not when the scheduler is idle.
func TestFollowGo(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	s, fixed := started(t, 0), started(t, 2)
	for _, n := range []int{before + 3, 1, before} {
		runtime.GOMAXPROCS(n)
		b := newBlocker(nop)
		s.Inject(&b.Task)
		await(t, "the task", b.runs)
		until(t, "the monitor to look", func() bool { return int(s.limit.Load()) == n })
		close(b.release)
		meet(t, s, n)
		fixed.followGo()
		meet(t, fixed, 2)
	}
	until(t, "the monitor of an idle scheduler to be armed no more", func() bool { return s.monitor.pace.Load() == paceStopped })
}

// TestFollowGoInBubble holds that following needs no timer while the scheduler is idle.
func TestFollowGoInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
		s.Start()
		time.Sleep(time.Hour)
		if s.monitor.pace.Load() != paceStopped {
			t.Error("the monitor of an idle scheduler is still armed")
		}
		s.Stop(nil)
	})
}

func TestResizeMisuse(t *testing.T) {
	s := started(t, 1)
	for _, n := range []int{0, -1, MostProcessors + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Resize(%d) does not panic", n)
				}
			}()
			s.Resize(n)
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("Resize before Start does not panic")
		}
	}()
	New(Config{Processors: 1}).Resize(2)
}
