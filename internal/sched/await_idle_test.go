package sched

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func always() bool { return true }

// TestAwaitIdleSeesAllEnd runs trees of tasks and waits for the end of each tree: none of its
// tasks may still run then.
func TestAwaitIdleSeesAllEnd(t *testing.T) {
	const rounds = 300
	s := started(t, 4)
	for round := range rounds {
		var running, ended atomic.Int32
		var grow func(depth int) *job
		grow = func(depth int) *job {
			running.Add(1) // before it is queued
			return newJob(func(p *Processor) {
				for range min(depth, 3) {
					switch child := grow(depth - 1); depth % 3 {
					case 0:
						p.Push(&child.Task)
					case 1:
						p.PushBack(&child.Task)
					default:
						p.PushNext(&child.Task)
					}
				}
				ended.Add(1)
				running.Add(-1)
			})
		}
		s.Inject(&grow(round % 6).Task)
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Fatal(err)
		}
		if n := running.Load(); n != 0 {
			t.Fatalf("round %d: %d tasks are left, %d have ended", round, n, ended.Load())
		}
	}
}

// TestAwaitIdleSeesWhatIsNotAnnounced puts a task into the inbox and wakes a processor for it only
// later, like an Inject that is interrupted in between. The scheduler is not idle in that time,
// nor until the task has ended.
func TestAwaitIdleSeesWhatIsNotAnnounced(t *testing.T) {
	s := started(t, 1)
	for round := range 300 {
		awaitParked(t, s)
		var ended atomic.Bool
		s.inbox.Add(&newJob(func(p *Processor) {
			for range round % 20 {
				p.YieldIfDue()
			}
			ended.Store(true)
		}).Node)
		woken := make(chan struct{})
		go func() {
			defer close(woken)
			s.wakeOne()
		}()
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Fatal(err)
		}
		if !ended.Load() {
			t.Fatalf("round %d: the scheduler was called idle while a task ran", round)
		}
		<-woken
	}
}

// TestAwaitIdleAsksAgain holds that settled is called until it agrees, even if nothing happens in
// the scheduler meanwhile.
func TestAwaitIdleAsksAgain(t *testing.T) {
	s := started(t, 2)
	asked := 0
	if err := s.AwaitIdle(t.Context(), func() bool { asked++; return asked == 5 }); err != nil || asked != 5 {
		t.Errorf("asked %d times, error %v", asked, err)
	}
}

func TestAwaitIdleEndsEarly(t *testing.T) {
	s := New(Config{Processors: 1})
	s.Start()
	b := newBlocker(nop)
	s.Inject(&b.Task)
	await(t, "the task", b.runs)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if err := s.AwaitIdle(ctx, always); !errors.Is(err, context.Canceled) {
			t.Errorf("of a busy scheduler, cancelled: %v", err)
		}
	})
	cancel()
	waiting.Wait()
	waiting.Go(func() {
		if err := s.AwaitIdle(t.Context(), always); !errors.Is(err, ErrStopped) {
			t.Errorf("of a busy scheduler, stopped: %v", err)
		}
	})
	if stuck := s.Stop(over()); len(stuck) != 1 {
		t.Errorf("%d processors are stuck, want 1", len(stuck))
	}
	waiting.Wait()
	close(b.release)
	await(t, "the end", s.exited)

	s = started(t, 1)
	expired, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.AwaitIdle(expired, func() bool { return false }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("of an idle scheduler that does not settle: %v", err)
	}
}

// TestIdleNotice holds that all waiters share one channel, so that a waiter that gives up leaves
// nothing behind.
func TestIdleNotice(t *testing.T) {
	var n idleNotice
	n.tell()
	first, second := n.await(), n.await()
	if first != second {
		t.Error("two waiters at the same time have two channels")
	}
	select {
	case <-first:
		t.Error("the channel is closed too early")
	default:
	}
	n.tell()
	<-first
	if n.await() == first {
		t.Error("a channel was given out that is closed already")
	}
	const goroutines, rounds = 3, 3_000
	var all sync.WaitGroup
	var left atomic.Int32
	left.Store(goroutines)
	for range goroutines {
		all.Go(func() {
			defer left.Add(-1)
			for range rounds {
				<-n.await()
			}
		})
	}
	for left.Load() > 0 {
		n.tell()
		runtime.Gosched()
	}
	all.Wait()
}
