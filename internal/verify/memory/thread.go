// Package memory provides words of memory that a scheduler watches: the types of [sync/atomic],
// relaxed words and plain fields. Before each access, a word announces the access of the running
// model thread to the scheduler. internal/verify/explore drives model threads through interleavings
// of its choice; in builds with the tag explore, internal/sync/atomics declares these types under
// its own names.
//
// An atomic access is a scheduling point. Atomic words are sequentially consistent, as Go's are. A
// relaxed store waits in the store buffer of its thread until the scheduler makes it visible, in
// the order of the stores of that thread, as on amd64. Plain fields are no scheduling points:
// vector clocks check whether the accesses to them are ordered.
//
// Outside model threads an atomic word behaves like its type in sync/atomic, and nothing is
// watched.
package memory

import (
	"fmt"
	"runtime"
)

// Thread is a thread of the explored program.
type Thread struct {
	ID    int
	Name  string
	Clock Clock
	// Pause announces a step and returns when the scheduler lets the thread do it.
	Pause func(Access)
	// Freed is true while the thread is unwound because its execution is over. Its accesses no
	// longer pause.
	Freed bool
	// Changes counts the steps that changed a value which other threads can see.
	Changes int
	// Result is, while tracing, the result of the last step as text.
	Result string

	buffer  []relaxed // stores that only this thread sees, oldest first
	flushed Clock     // joined clocks of the flushed stores
}

// Current is the model thread that runs now, or nil. The scheduler sets it; one thread runs at a
// time.
var Current *Thread

// Tracing makes each access record its callers and its result.
var Tracing bool

var (
	execution uint64
	locations int
	names     [2 * MaxThreads]string
)

// Reset begins an execution: every location counts as not yet accessed.
func Reset() {
	execution++
	locations = 0
}

// NewThread returns a thread with this number, counted from 0, and this name. No step of another
// thread happened before it.
func NewThread(id int, name string) *Thread {
	names[id], names[id+MaxThreads] = name, name
	return &Thread{ID: id, Name: name}
}

// Index returns the number of the running model thread, or 0 outside model threads.
func Index() int {
	if Current == nil {
		return 0
	}
	return Current.ID
}

// SpinOnce is one turn of a loop that waits for another thread. The caller goes on once another
// thread has written something.
func SpinOnce() {
	if t := Current; t != nil && !t.Freed {
		t.pause(Access{Kind: Spin})
		return
	}
	runtime.Gosched()
}

// step announces an access to l, waits for the scheduler, and returns the current thread. It
// returns nil if no scheduler watches.
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
