package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/queue"
)

// Task is something to run: embed it as the first field of what it stands for, so that [Kind].Run gets it back. A task is
// in at most one queue at a time, and between two runs it belongs to whoever made it. Queueing a task allocates nothing.
type Task struct {
	queue.Node
	// Kind says what to do with the task. It must be set before the task is queued.
	Kind *Kind
}

// Kind is what tasks of one sort have in common. Make one of each sort, not one of each task.
type Kind struct {
	// Run runs the task on p, the processor whose goroutine calls it. When it returns, the scheduler has forgotten the task.
	Run func(p *Processor, t *Task)
	// Stolen, if set, is called when a thief has taken a task from another processor's ring or slot, before it is run or
	// queued again.
	Stolen func(t *Task)
	// Discard is called instead of Run, by any goroutine, for a task that was queued after the scheduler had stopped.
	Discard func(t *Task)
	// Ahead, if set, is called for a task whose turn comes soon, when there are so many that what they need will not be in the cache by itself: it asks for that.
	// It is called twice, the second time with near: so it can follow what it asked for the first time. The task may be running elsewhere by then, or have ended.
	Prefetch func(t *Task, near bool)
}

// taskOf returns the task that n is the first field of.
func taskOf(n *queue.Node) *Task { return (*Task)(unsafe.Pointer(n)) }

// cut returns the first task of a list and the rest of it, with no link between them, which would keep all that was ever behind a task from
// being collected as long as the task lives.
func cut(list *queue.Node) (first *Task, rest *queue.Node) {
	rest = list.Next()
	list.Link(nil)
	return taskOf(list), rest
}

func (t *Task) stolen() {
	if f := t.Kind.Stolen; f != nil {
		f(t)
	}
}
