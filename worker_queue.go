package freerun

import (
	"github.com/freerun-go/freerun/internal/sched"
)

// A task that becomes ready on a processor of its own runtime is queued on that processor. A task
// that becomes ready elsewhere is injected: on an ordinary goroutine, in an operation that has left
// its processor, or in another runtime. The functions of this file decide between the two; the
// usual cases of two of them are written out in unit.enqueue and worker.dispatch:
//
//	queueNext   runs next of its priority here: a unit to which a message was sent
//	queueSoon   runs next if no other task does: messages to several units, which come in crowds
//	queueReady  last in first out here, first in first out for thieves: free operations, readers
//	queueBack   runs after all others of its priority: a unit whose turn is over
//	hand        runs at once: the caller is about to return to the scheduler
//	inject      for all of these elsewhere: into the scheduler's inbox, for any processor

// at reports whether w is the worker of a processor of rt.
func (w *worker) at(rt *Runtime) bool { return w.processor != nil && w.rt == rt }

func (w *worker) queueNext(rt *Runtime, p sched.Priority, t *sched.Task) {
	if w.at(rt) {
		w.processor.PushNextAt(p, t)
	} else {
		w.inject(rt, p, t)
	}
}

func (w *worker) queueSoon(rt *Runtime, t *sched.Task) {
	if w.at(rt) {
		w.processor.PushSoon(t)
	} else {
		w.inject(rt, sched.Normal, t)
	}
}

func (w *worker) queueReady(rt *Runtime, p sched.Priority, t *sched.Task) {
	if w.at(rt) {
		w.processor.PushAt(p, t)
	} else {
		w.inject(rt, p, t)
	}
}

func (w *worker) queueBack(rt *Runtime, p sched.Priority, t *sched.Task) {
	if w.at(rt) {
		w.processor.PushBackAt(p, t)
	} else {
		w.inject(rt, p, t)
	}
}

func (w *worker) hand(rt *Runtime, t *sched.Task) {
	if w.at(rt) {
		w.processor.Hand(t)
	} else {
		w.inject(rt, sched.Normal, t)
	}
}

// inject queues a task of rt from outside its processors. A worker that discards the tasks of a
// stopped runtime puts those of its own runtime aside instead (shutdown.go).
func (w *worker) inject(rt *Runtime, p sched.Priority, t *sched.Task) {
	if w.orphans != nil && w.rt == rt {
		w.orphans.PushBack(&t.Node)
	} else {
		rt.scheduler.InjectAt(p, t)
	}
}
