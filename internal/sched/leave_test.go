package sched

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// newLeaver makes a blocker that runs do and then leaves its processor.
func newLeaver(do func(p *Processor)) *blocker {
	return newBlocker(func(p *Processor) {
		do(p)
		p.Leave()
	})
}

// TestLeaveKeepsParallelism has many tasks leave and wait for one that is queued behind them all.
func TestLeaveKeepsParallelism(t *testing.T) {
	const count = 200
	for _, processors := range []int{1, 3} {
		s := started(t, processors)
		release := make(chan struct{})
		var left, ended atomic.Int32
		for range count {
			s.Inject(&newJob(func(p *Processor) {
				p.Leave()
				left.Add(1)
				<-release
				ended.Add(1)
			}).Task)
		}
		s.Inject(&newJob(func(*Processor) { close(release) }).Task)
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Fatal(err)
		}
		if left.Load() != count || ended.Load() != count {
			t.Errorf("%d tasks left, %d ended, want %d", left.Load(), ended.Load(), count)
		}
		most := int32(processors + len(s.spares))
		until(t, "the hosts that are too many to end", func() bool { return s.alive.Load() <= most })
	}
}

// TestLeaveHandsOverAllQueues has a task fill all queues of the only processor, leave, and wait
// until all of them were run there.
func TestLeaveHandsOverAllQueues(t *testing.T) {
	s := started(t, 1)
	for range 50 {
		const count = 4
		var order []int
		all := make(chan struct{})
		run := func(p *Processor, i int) *Task {
			return &newJob(func(q *Processor) {
				if q != p || CurrentProcessor() != p || p.Home() != goid.ID() {
					t.Error("a task does not run on the processor that it was queued on")
				}
				if order = append(order, i); len(order) == count {
					close(all)
				}
			}).Task
		}
		inTask(t, s, func(p *Processor) {
			p.PushBack(run(p, 3))
			p.Push(run(p, 2))
			p.PushNext(run(p, 1))
			p.Hand(run(p, 0))
			p.step = 0 // so that no queue has its turn out of order
			p.Leave()
			<-all
		})
		if fmt.Sprint(order) != "[0 1 2 3]" {
			t.Errorf("run in the order %v", order)
		}
	}
}

// TestLeaveIsStillInATask checks that a task that has left its processor still knows its host and
// what it runs, and that others know it.
func TestLeaveIsStillInATask(t *testing.T) {
	var local atomic.Int64
	s := New(Config{Processors: 1, Hosted: func(h *Host) { h.Local = local.Add(1) }})
	s.Start()
	t.Cleanup(func() { stop(t, s) })
	b := newLeaver(nop)
	before := b.do
	b.do = func(p *Processor) {
		home := CurrentHost()
		if home == nil || home.Processor() != p || home.Task() != &b.Task || home.Local == nil {
			t.Error("a task does not know where it runs")
		}
		before(p)
		if CurrentProcessor() != nil || CurrentHost() != home || home.Processor() != nil || home.Task() != &b.Task {
			t.Error("a task that has left does not know that it has no processor, and where it runs")
		}
		if p.Home() == goid.ID() {
			t.Error("a processor that was left is at home where it was")
		}
	}
	s.Inject(&b.Task)
	await(t, "the task", b.runs)
	awaitParked(t, s)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AwaitIdle(over, always); !errors.Is(err, context.Canceled) {
		t.Errorf("while a task is away: %v", err)
	}
	inTask(t, s, func(p *Processor) {
		if CurrentHost().Local == nil || p.Running() == &b.Task {
			t.Error("the new home of a processor is not a host of its own")
		}
	})
	close(b.release)
	if err := s.AwaitIdle(t.Context(), always); err != nil {
		t.Error(err)
	}
	if CurrentHost() != nil {
		t.Error("an ordinary goroutine is a host")
	}
}

// TestLeftTasksCrash has tasks leave and then fail: Crashed is called, on a host without a
// processor, and other tasks go on.
func TestLeftTasksCrash(t *testing.T) {
	for _, how := range []string{"panic", "goexit"} {
		t.Run(how, func(t *testing.T) {
			s, crashes := crashing(t, 1)
			for range 50 {
				failing := newJob(func(p *Processor) {
					p.Leave()
					theTaskThatFails(how)
				})
				s.Inject(&failing.Task)
				c := <-crashes
				if c.t != &failing.Task || c.p != nil {
					t.Error("Crashed was told another task, or a processor")
				}
				if !strings.Contains(c.stack, "theTaskThatFails") {
					t.Errorf("the stack does not show where it happened:\n%s", c.stack)
				}
				if err := s.AwaitIdle(t.Context(), always); err != nil {
					t.Fatal(err)
				}
				inTask(t, s, nop)
			}
		})
	}
}

// TestStopWaitsForLeftTasks stops a scheduler while a task is away that queues another one before
// it returns: that one runs, too.
func TestStopWaitsForLeftTasks(t *testing.T) {
	for range 100 {
		s, last := New(Config{Processors: 2}), newJob(nop)
		s.Start()
		b := newLeaver(nop)
		before := b.do
		b.do = func(p *Processor) {
			before(p)
			s.Inject(&last.Task)
		}
		s.Inject(&b.Task)
		await(t, "the task", b.runs)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			if stuck := s.Stop(nil); len(stuck) > 0 {
				t.Errorf("%d tasks are stuck", len(stuck))
			}
		}()
		close(b.release)
		await(t, "Stop", stopped)
		if last.ran.Load() != 1 || last.discarded.Load() != 0 {
			t.Errorf("what a left task queued ran %d times, and was discarded %d times", last.ran.Load(), last.discarded.Load())
		}
	}
}

// TestStopReportsLeftTasks stops a scheduler while a task is away that does not return, and others
// wait in their middle.
func TestStopReportsLeftTasks(t *testing.T) {
	s := New(Config{Processors: 2})
	s.Start()
	b, on := newLeaver(nop), newBlocker(nop)
	s.Inject(&b.Task)
	s.Inject(&on.Task)
	await(t, "the one that leaves", b.runs)
	await(t, "the one that stays", on.runs)
	found := map[*Task]*Processor{}
	for _, stuck := range s.Stop(over()) {
		found[stuck.Task] = stuck.Processor
		if stuck.Host == nil {
			t.Error("a task is stuck nowhere")
		}
	}
	if p, ok := found[&b.Task]; !ok || p != nil {
		t.Error("the task that has left is not reported as such")
	}
	if p := found[&on.Task]; p == nil || len(found) != 2 {
		t.Errorf("the task on a processor is not reported as such; %d tasks are reported", len(found))
	}
	late := newJob(nop)
	close(on.release)
	close(b.release)
	await(t, "the end of the hosts", s.exited)
	s.Inject(&late.Task)
	if late.discarded.Load() != 1 {
		t.Error("what is queued after the end is not discarded")
	}
}

// TestLeaveInBubble has a task away in a bubble of testing/synctest: with spares, and the left
// task asleep, all goroutines are durably blocked.
func TestLeaveInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Processors: 2})
		s.Start()
		begin := time.Now()
		for range 5 {
			s.Inject(&newJob(func(p *Processor) {
				p.Leave()
				time.Sleep(time.Hour)
			}).Task)
			synctest.Wait()
		}
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Error(err)
		}
		if passed := time.Since(begin); passed != time.Hour { // the bubble's time, which is exact
			t.Errorf("%v passed", passed)
		}
		if stuck := s.Stop(time.After(time.Second)); len(stuck) > 0 {
			t.Errorf("%d tasks are stuck", len(stuck))
		}
	})
}
