// Package memory has words of memory that a scheduler can watch: the types of [sync/atomic],
// relaxed words and plain fields, each of which tells the scheduler what the running model thread
// is about to do with it. internal/verify/explore drives such threads through interleavings of its
// choice; internal/sync/atomics puts these types behind its names in builds with the tag explore.
//
// An atomic access is a scheduling point. Atomic words are sequentially consistent, as Go's are. A
// relaxed store waits in the store buffer of its thread until the scheduler makes it visible, in
// the order of the stores of that thread, as on amd64. Plain fields are no scheduling points:
// vector clocks find out whether the accesses to them are ordered.
//
// Outside of model threads an atomic word does what that of sync/atomic does, and nothing is
// watched.
package memory

import (
	"fmt"
	"runtime"
)

// Thread is a model thread.
type Thread struct {
	ID    int
	Name  string
	Clock Clock
	// Pause announces a step and returns when the scheduler lets the thread do it.
	Pause func(Access)
	// Freed is true while the thread is unwound because its execution is over: nothing stops it any
	// more.
	Freed bool
	// Changes counts the steps that changed something which others can see.
	Changes int
	// Result is, while tracing, what came of the last step.
	Result string

	buffer  []relaxed // stores that only this thread sees yet, oldest first
	flushed Clock     // what the stores that were flushed came with
}

// Current is the model thread that runs now, or nil. The scheduler sets it; one thread runs at a
// time.
var Current *Thread

// Tracing makes accesses carry where they were made and what came of them.
var Tracing bool

var (
	execution uint64
	locations int
	names     [2 * MaxThreads]string
)

// Reset begins an execution: every location is as good as new.
func Reset() {
	execution++
	locations = 0
}

// NewThread returns the thread with this number, from 0, and name, which knows of nothing that
// other threads did.
func NewThread(id int, name string) *Thread {
	names[id], names[id+MaxThreads] = name, name
	return &Thread{ID: id, Name: name}
}

// Index returns the number of the thread that runs, or 0 outside of one.
func Index() int {
	if Current == nil {
		return 0
	}
	return Current.ID
}

// SpinOnce is one turn of a loop that waits for another thread. The thread goes on once another one
// has written something.
func SpinOnce() {
	if t := Current; t != nil && !t.Freed {
		t.pause(Access{Kind: Spin})
		return
	}
	runtime.Gosched()
}

// step announces an access to l, waits for the scheduler, and returns the thread that does it, or
// nil where no scheduler watches.
func step(kind Kind, l *Location, typ string) *Thread {
	t := Current
	if t == nil || t.Freed {
		return nil
	}
	l.touch(typ)
	t.pause(Access{Kind: kind, At: l})
	if t.Freed {
		return nil
	}
	t.Clock[t.ID]++
	return t
}

func (t *Thread) pause(a Access) {
	if Tracing {
		pcs := make([]uintptr, 12)
		a.From = pcs[:runtime.Callers(3, pcs)]
	}
	t.Pause(a)
}

func (t *Thread) result(format string, args ...any) {
	if Tracing {
		t.Result = fmt.Sprintf(format, args...)
	}
}
