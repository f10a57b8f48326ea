package sched

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// Stuck is a task that had not returned when it was looked at.
type Stuck struct {
	Task      *Task
	Host      *Host      // on whose goroutine the task runs; nil if it has outlasted the scheduler
	Processor *Processor // that runs the task; nil if the task has left it
	Name      string     // of a task that has outlasted the scheduler: see [Kind].Outlasts
}

// Stop ends the scheduler. It waits until no task is queued or running, with or without a
// processor, and ends all goroutines. If expired fires first, Stop returns the tasks that have not
// returned; their goroutines end when they do. Tasks that have not run by then, and tasks queued
// later, are discarded. Those of them that outlast the scheduler ([Kind].Outlasts) have not
// returned either. Call Stop once, and not from a task.
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
	stuck = s.lasting.addTo(s.Unreturned())
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

// Unreturned returns the tasks that run now, except those about to leave their processor or to get
// one. Any goroutine.
func (s *Scheduler) Unreturned() (all []Stuck) {
	for _, p := range s.all() {
		if t, h := p.running.Load(), p.host.Load(); t != nil && h != nil {
			all = append(all, Stuck{Task: t, Host: h, Processor: p})
		}
	}
	registry.Range(func(_, r any) bool {
		if h := r.(*registration).host; h != nil && h.scheduler == s {
			if t := h.away.Load(); t != nil {
				all = append(all, Stuck{Task: t, Host: h})
			}
		}
		return true
	})
	slices.SortFunc(all, func(a, b Stuck) int { return cmp.Compare(a.Host.number, b.Host.number) })
	return all
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
					s.discard(t)
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
			s.discard(t)
		}
	}
}

// discard discards a task, and notes whether it outlasts the scheduler.
func (s *Scheduler) discard(t *Task) {
	if t.Kind.Outlasts != nil {
		s.lasting.note(t)
	}
	t.Kind.Discard(t)
}

// lasting are the discarded tasks that outlast the scheduler, until Stop has looked at them. Those
// that are discarded later were running when it looked.
type lasting struct {
	mu     sync.Mutex
	all    []Stuck
	closed bool
}

func (l *lasting) note(t *Task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.all = append(l.all, Stuck{Task: t, Name: t.Kind.Outlasts(t)})
	}
}

// addTo adds the tasks to those that have not returned otherwise. A task may be among these: it was
// queued since.
func (l *lasting) addTo(stuck []Stuck) []Stuck {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, k := range l.all {
		stuck = slices.DeleteFunc(stuck, func(other Stuck) bool { return other.Task == k.Task })
	}
	stuck, l.all = append(stuck, l.all...), nil
	return stuck
}

// Stopped reports whether the scheduler has stopped: tasks queued now are discarded. Any
// goroutine.
func (s *Scheduler) Stopped() bool { return s.stopped.Load() }
