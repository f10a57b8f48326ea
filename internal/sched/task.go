package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// Task is a unit of work for the scheduler. Embed it as the first field of the struct that it
// stands for, so that [Kind].Run can convert the pointer back. A task is in at most one queue at a
// time; between two runs it belongs to its creator. Queueing a task allocates nothing. A task must
// not be copied while it is queued.
type Task struct {
	mailbox.Node
	// Kind says how to run the task. Set it before the task is queued.
	Kind *Kind
}

// Kind holds the functions that all tasks of one sort share. Make one Kind for each sort of task,
// not for each task.
type Kind struct {
	// Run runs the task on p, on the goroutine of p's host. When it returns, the scheduler holds
	// no reference to the task.
	Run func(p *Processor, t *Task)
	// Stolen, if set, is called by a thief that has taken the task from another processor's ring
	// or slot, before the task is run or queued again.
	Stolen func(t *Task)
	// Discard is called instead of Run for a task that is found after the scheduler has stopped.
	// Any goroutine may call it.
	Discard func(t *Task)
	// Prefetch, if set, asks the CPU for the memory that the task will need. It is called for a
	// task whose turn comes soon, when so many tasks are queued that their memory has left the
	// caches. It is called twice: first without near, then with near, when it can follow pointers
	// that the first call has fetched. The task may already be running elsewhere, or have ended.
	Prefetch func(t *Task, near bool)
}

// taskOf returns the task whose first field is n.
func taskOf(n *mailbox.Node) *Task { return (*Task)(unsafe.Pointer(n)) }

// cut splits a list into its first task and the rest. It removes the link between them: the link
// would keep all later tasks from being collected for as long as the first one lives.
func cut(list *mailbox.Node) (first *Task, rest *mailbox.Node) {
	rest = list.Next()
	list.Link(nil)
	return taskOf(list), rest
}

func (t *Task) stolen() {
	if f := t.Kind.Stolen; f != nil {
		f(t)
	}
}
