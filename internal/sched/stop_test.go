package sched

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// blocker is a task that runs do and then runs until it is released.
type blocker struct {
	job
	runs, release chan struct{}
}

func newBlocker(do func(p *Processor)) *blocker {
	b := &blocker{runs: make(chan struct{}), release: make(chan struct{})}
	b.Kind = jobKind
	b.do = func(p *Processor) {
		do(p)
		close(b.runs)
		<-b.release
	}
	return b
}

func over() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}

// TestStopRunsWhatIsQueued queues tasks everywhere while no processor is free, and stops: all of
// them, and the tasks that they queue, must run.
func TestStopRunsWhatIsQueued(t *testing.T) {
	for _, processors := range []int{1, 2, 4} {
		s := New(Config{Processors: processors})
		s.Start()
		var all []*job
		var blockers []*blocker
		for range processors {
			mine := jobs(700)
			all = append(all, mine...)
			b := newBlocker(func(p *Processor) {
				for i, j := range mine[:600] {
					pr := Priority(i / 3 % priorities)
					switch i % 3 {
					case 0:
						p.PushAt(pr, &j.Task)
					case 1:
						p.PushBackAt(pr, &j.Task)
					default:
						p.PushNextAt(pr, &j.Task)
					}
				}
			})
			mine[0].do = func(p *Processor) {
				for _, j := range mine[600:] {
					p.PushBack(&j.Task)
				}
			}
			blockers = append(blockers, b)
			s.Inject(&b.Task)
			await(t, "a task to start", b.runs) // each on another processor: the others are blocked
		}
		for i := range 300 {
			j := newJob(nop)
			all = append(all, j)
			s.InjectAt(Priority(i%priorities), &j.Task)
		}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			if stuck := s.Stop(nil); len(stuck) > 0 {
				t.Errorf("%d processors are stuck", len(stuck))
			}
		}()
		for _, b := range blockers {
			close(b.release)
		}
		await(t, "Stop", stopped)
		for i, j := range all {
			if j.ran.Load() != 1 || j.discarded.Load() != 0 {
				t.Fatalf("%d processors: task %d ran %d times and was discarded %d times", processors, i, j.ran.Load(), j.discarded.Load())
			}
		}
		for _, p := range s.Processors() {
			if p.Home() != 0 {
				t.Error("a processor that has ended has a home")
			}
		}
	}
}

func TestInjectAfterStopDiscards(t *testing.T) {
	s := New(Config{Processors: 2})
	s.Start()
	if stuck := s.Stop(nil); stuck != nil {
		t.Errorf("%d processors of an idle scheduler are stuck", len(stuck))
	}
	for i := range 50 { // more than there are processors to wake
		j := newJob(nop)
		s.InjectAt(Priority(i%priorities), &j.Task)
		if j.discarded.Load() != 1 || j.ran.Load() != 0 {
			t.Fatalf("discarded %d times, ran %d times", j.discarded.Load(), j.ran.Load())
		}
	}
}

// TestStopWhileInjecting stops a scheduler that other goroutines inject into: each task is run or
// discarded, once.
func TestStopWhileInjecting(t *testing.T) {
	const rounds, senders, each = 100, 3, 40
	for round := range rounds {
		s := New(Config{Processors: 1 + round%4})
		s.Start()
		all := jobs(senders * each)
		var sending sync.WaitGroup
		var sent atomic.Int32
		for i := range senders {
			sending.Go(func() {
				for k, j := range all[i*each : (i+1)*each] {
					s.InjectAt(Priority((i+k)%priorities), &j.Task)
					sent.Add(1)
				}
			})
		}
		for sent.Load() < int32(round) {
			runtime.Gosched()
		}
		if stuck := s.Stop(time.After(patience)); len(stuck) > 0 {
			hang(t, "the processors to end")
		}
		sending.Wait()
		for i, j := range all {
			if j.ran.Load()+j.discarded.Load() != 1 {
				t.Fatalf("round %d: task %d ran %d times and was discarded %d times", round, i, j.ran.Load(), j.discarded.Load())
			}
		}
	}
}

// TestStopReportsStuckTasks stops a scheduler while two tasks do not return. The tasks that one of
// them has queued are discarded, and each processor ends when its task returns at last.
func TestStopReportsStuckTasks(t *testing.T) {
	s := New(Config{Processors: 2})
	s.Start()
	waiting := jobs(400)
	ready, other := make(chan struct{}), newBlocker(nop)
	b := newBlocker(func(p *Processor) {
		<-ready
		p.PushNext(&waiting[0].Task)
		for _, j := range waiting[1:20] {
			p.Push(&j.Task)
		}
		for i, j := range waiting[20:] {
			p.PushBackAt(Priority(i%priorities), &j.Task)
		}
	})
	s.Inject(&b.Task)
	s.Inject(&other.Task)
	await(t, "the other task", other.runs)
	close(ready)
	await(t, "the task", b.runs)

	stuck := s.Stop(over())
	if len(stuck) != 2 {
		t.Fatalf("%d processors are stuck, want 2", len(stuck))
	}
	for i, j := range waiting {
		if j.ran.Load() != 0 || j.discarded.Load() != 1 {
			t.Fatalf("task %d ran %d times and was discarded %d times", i, j.ran.Load(), j.discarded.Load())
		}
	}
	close(other.release)
	until(t, "one processor to end", func() bool { return s.alive.Load() == 1 })
	close(b.release)
	await(t, "the stuck processor to end", s.exited)
	for i, j := range waiting {
		if j.ran.Load()+j.discarded.Load() != 1 {
			t.Fatalf("task %d was taken twice", i)
		}
	}
}

// TestStuckTaskReturnsDuringSweep lets a stuck task return while Stop discards the tasks that it
// has queued: each of those is run or discarded, once.
func TestStuckTaskReturnsDuringSweep(t *testing.T) {
	const rounds, count = 60, 900
	for round := range rounds {
		s := New(Config{Processors: 1 + round%2})
		s.Start()
		waiting := jobs(count)
		b := newBlocker(func(p *Processor) {
			for i, j := range waiting {
				pr := Priority(i / 3 % priorities)
				switch (i + round) % 3 {
				case 0:
					p.PushAt(pr, &j.Task)
				case 1:
					p.PushBackAt(pr, &j.Task)
				default:
					s.add(pr, &j.Task, &j.Task) // wakes no processor
				}
			}
			p.PushNext(&newJob(nop).Task)
		})
		s.Inject(&b.Task)
		await(t, "the task", b.runs)
		go func() {
			for range round {
				runtime.Gosched()
			}
			close(b.release)
		}()
		s.Stop(over())
		await(t, "the end of the processors", s.exited)
		for i, j := range waiting {
			if j.ran.Load()+j.discarded.Load() != 1 {
				t.Fatalf("round %d: task %d ran %d times and was discarded %d times", round, i, j.ran.Load(), j.discarded.Load())
			}
		}
	}
}
