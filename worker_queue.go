package freerun

import (
	"github.com/freerun-go/freerun/internal/sched"
)

// A task that becomes ready is queued on the processor where that happens, if it is one of the
// task's runtime. Otherwise it is injected: from an ordinary goroutine, from an operation that has
// left its processor, and from another runtime. The functions of this file decide that, and no
// others:
//
//	queueNext   the next task of its priority here: a unit to which a message was sent
//	queueSoon   the same, if no other is: messages to several units, which come in crowds
//	queueReady  last in, first out here, first in, first out for thieves: free operations, readers
//	queueBack   behind all others of its priority: a unit whose turn is over
//	hand        at once, as the caller is about to return to the scheduler

// at reports whether s is the worker of a processor of rt.
func (s *worker) at(rt *Runtime) bool { return s.processor != nil && s.rt == rt }

func (s *worker) queueNext(rt *Runtime, p Priority, t *sched.Task) {
	if s.at(rt) {
		s.processor.PushNextAt(p, t)
	} else {
		s.inject(rt, p, t)
	}
}

func (s *worker) queueSoon(rt *Runtime, t *sched.Task) {
	if s.at(rt) {
		s.processor.PushSoon(t)
	} else {
		s.inject(rt, Normal, t)
	}
}

func (s *worker) queueReady(rt *Runtime, p Priority, t *sched.Task) {
	if s.at(rt) {
		s.processor.PushAt(p, t)
	} else {
		s.inject(rt, p, t)
	}
}

func (s *worker) queueBack(rt *Runtime, p Priority, t *sched.Task) {
	if s.at(rt) {
		s.processor.PushBackAt(p, t)
	} else {
		s.inject(rt, p, t)
	}
}

func (s *worker) hand(rt *Runtime, t *sched.Task) {
	if s.at(rt) {
		s.processor.Hand(t)
	} else {
		s.inject(rt, Normal, t)
	}
}

// inject queues a task from elsewhere. While the runtime's tasks are discarded, its own are put
// aside (shutdown_discard.go).
func (s *worker) inject(rt *Runtime, p Priority, t *sched.Task) {
	if s.orphans != nil && s.rt == rt {
		s.orphans.PushBack(&t.Node)
	} else {
		rt.scheduler.InjectAt(p, t)
	}
}
