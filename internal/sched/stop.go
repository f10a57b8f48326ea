package sched

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// Stuck is a task that had not returned when it was looked at.
type Stuck struct {
	Task      *Task
	Host      *Host      // on whose goroutine the task runs
	Processor *Processor // that runs the task; nil if the task has left it
}

// Stop ends the scheduler. It waits until no task is queued or running, with or without a
// processor, and ends all goroutines. If expired fires first, Stop returns the tasks that have not
// returned; their goroutines end when they do. Tasks that have not run by then, and tasks queued
// later, are discarded. Call Stop once, and not from a task.
//
// The end comes in two steps. Once stopping is set, the goroutine that makes the scheduler idle
// finishes it, that is, closes quit. Then each processor ends when it finds no task anywhere, and
// each host when it has no processor. Stop sets stopping before it looks whether the scheduler is
// idle; the census falls to nothing before stopping is read. So one of the two finishes.
func (s *Scheduler) Stop(expired <-chan time.Time) (stuck []Stuck) {
	s.resizing.Lock()
	s.stopping.Store(true)
	s.resizing.Unlock()
	close(s.halt)
	if s.census.idle() {
		s.finish()
	}
	if s.driver != nil {
		expired = s.driveToEnd()
	}
	select {
	case <-s.exited:
	case <-expired:
		s.finish()
	}
	s.monitor.timer.Stop()
	s.stopped.Store(true)
	s.pollers.close()
	s.sweep()
	// Now, and not before: a task that runs may be queued and swept, and another one of the queue
	// runs in its place.
	stuck = s.Unreturned()
	if s.driver != nil {
		s.Drive(nil) // the suspensions that were discarded
	}
	return stuck
}

// finish lets the processors end. Any goroutine, any number of times.
func (s *Scheduler) finish() {
	if s.finished.CompareAndSwap(false, true) {
		s.quit.close()
	}
}

// Unreturned returns the tasks that run now, each once. It looks at the processors, at the hosts,
// and at the processors again: so it sees a task that leaves its processor meanwhile, and one that
// comes back, where it was seen last. It may miss a task that does both. Any goroutine.
func (s *Scheduler) Unreturned() []Stuck {
	seen := make(map[*Task]Stuck)
	s.seeRunning(seen)
	registry.Range(func(_, r any) bool {
		if h := r.(*registration).host; h != nil && h.scheduler == s {
			if t := h.away.Load(); t != nil {
				seen[t] = Stuck{Task: t, Host: h}
			}
		}
		return true
	})
	s.seeRunning(seen)
	return slices.SortedFunc(maps.Values(seen), func(a, b Stuck) int { return cmp.Compare(a.Host.number, b.Host.number) })
}

// seeRunning notes the tasks that run with a processor.
func (s *Scheduler) seeRunning(seen map[*Task]Stuck) {
	for _, p := range s.all() {
		if t, h := p.running.Load(), p.host.Load(); t != nil && h != nil {
			seen[t] = Stuck{Task: t, Host: h, Processor: p}
		}
	}
}

// sweep discards the tasks left in all queues. It has a thief's rights only: a stuck processor may
// come back at any time.
func (s *Scheduler) sweep() {
	s.sweepInbox()
	collector := newProcessor(s, len(s.all()))
	for _, victim := range s.all() {
		victim.slotOpen.Store(true)
		for _, pr := range byRank {
			for t := collector.stealFrom(victim, pr); t != nil; t = collector.stealFrom(victim, pr) {
				for ; t != nil; t = collector.next() {
					t.Kind.Discard(t)
				}
			}
		}
	}
}

// sweepInbox discards the injected tasks of all priorities.
func (s *Scheduler) sweepInbox() {
	for _, list := range [...]*mailbox.Node{
		s.board.collect(High), s.inbox.TakeAll(), s.board.collect(Low), s.board.collect(Idle),
	} {
		for list != nil {
			var t *Task
			t, list = cut(list)
			t.Kind.Discard(t)
		}
	}
}

// Stopped reports whether the scheduler has stopped: tasks queued now are discarded. Any
// goroutine.
func (s *Scheduler) Stopped() bool { return s.stopped.Load() }
