package freerun

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// LateReport is the watchdog's report of an operation that does not return.
type LateReport struct {
	At        time.Time     // when the watchdog found it
	Operation string        // its short name, or the name of the function for a closure
	Unit      string        // the unit's name ([UnitName]) or address; empty for a free operation
	Been      time.Duration // how long it had run
	Stack     []byte        // of its goroutine
}

// Watchdog has operations reported that run longer than after without an end, once each, through
// log/slog, because they keep their processor from other operations. An operation that waits should
// use [Context.Block].
//
// When all processors are in such operations while messages are queued, up to extra processors are
// added, one at a time; they go again when the operations have ended.
//
// The watchdog looks each 10 ms while a processor is busy, more often if after is short, and not at
// all in a deterministic runtime. Without this option there is none. [Runtime.LateReports] has the
// last reports. Watchdog panics if after is not above zero or extra is negative.
func Watchdog(after time.Duration, extra int) Option {
	if after <= 0 || extra < 0 {
		panic("freerun: Watchdog needs a duration above zero, and a number of processors that is not negative")
	}
	return Option{func(s *settings) { s.watchdog.After, s.watchdog.Extra = after, extra }}
}

// OnLate calls hook for each report of the watchdog ([Watchdog]), beside the logger. hook runs on
// a goroutine of its own, and the watchdog watches nothing until hook returns. OnLate panics if
// hook is nil.
func OnLate(hook func(LateReport)) Option {
	if hook == nil {
		panic("freerun: OnLate with a nil hook")
	}
	return Option{func(s *settings) { s.onLate = hook }}
}

// reportLate reports a task that does not return. The scheduler calls it.
func (rt *Runtime) reportLate(t sched.Stuck, been time.Duration) {
	c := contextOf(t.Host, t.Processor)
	late := LateReport{At: time.Now(), Operation: c.operation(), Unit: workerOf(t.Processor).nameOfUnit(t.Task), Been: been, Stack: t.Stack()}
	if late.Operation == "" {
		return // the operation has just ended
	}
	rt.lateReports.add(late)
	rt.log(slog.LevelWarn, "operation does not return",
		"operation", late.Operation, "unit", late.Unit, "been", late.Been, "stack", string(late.Stack))
	rt.dumpLate()
	if rt.onLate != nil {
		guard("the hook of OnLate", func() { rt.onLate(late) }) // the user's, like the logger
	}
}

// nameOfUnit returns the name of the unit that the worker's task t runs, or the unit's address if
// it has no name; empty if t runs no unit. t is the processor's own: only its address is used.
func (w *worker) nameOfUnit(t *sched.Task) string {
	u := w.unit.Load()
	if u == nil || !u.isTask(t) {
		return ""
	}
	return u.nameOrAddress()
}

// nameOrAddress is what reports of one unit call it; empty for what is no unit of a program.
func (u *unit) nameOrAddress() string {
	if u == &u.rt.free {
		return ""
	}
	if name := u.called(); name != "" {
		return name
	}
	return fmt.Sprintf("%p", u)
}

// isTask reports whether t is the unit's own task, or that of one of its priority mailboxes.
func (u *unit) isTask(t *sched.Task) bool {
	if t == &u.Task {
		return true
	}
	if x := u.priorityMailboxes(); x != nil {
		for i := range x.boxes {
			if t == &x.boxes[i].Task {
				return true
			}
		}
	}
	return false
}

// What an observer outside may ask of a running program, beside its figures ([Runtime.Stats]).

// MostLateReports is how many reports of the watchdog a runtime keeps.
const MostLateReports = 32

// lateReports are the last reports of the watchdog. Its goroutine adds to them rarely, and has
// nothing else to do, so a lock guards them.
type lateReports struct {
	mu    sync.Mutex
	last  []LateReport // oldest first
	total uint64
}

func (i *lateReports) add(late LateReport) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.last) == MostLateReports {
		i.last = slices.Delete(i.last, 0, 1)
	}
	i.last = append(i.last, late)
	i.total++
}

func (i *lateReports) count() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.total
}

// LateReports returns the last reports of the watchdog ([Watchdog]), oldest first and at most
// [MostLateReports]; [Stats].Late tells how many there were in all. The slice is the caller's own;
// the stacks in it are shared, and must not be changed. Any goroutine; it does not wait.
func (rt *Runtime) LateReports() []LateReport {
	rt.mustBeMade()
	rt.lateReports.mu.Lock()
	defer rt.lateReports.mu.Unlock()
	return slices.Clone(rt.lateReports.last)
}

// RunningOperation describes the operation that a processor is running at some instant.
type RunningOperation struct {
	// Operation is the operation's short name, or the name of the function for a closure. It is
	// empty if the processor runs none, or has none at this instant.
	Operation string
	// Unit is the name ([UnitName]) or address of the unit that the processor runs a message of. It
	// is known with a [Watchdog] only, and empty for the message of a free operation. A [SmallOp]
	// that is called where it is sent belongs to the sender's message: Operation is the small
	// operation then, and Unit the sender's unit.
	Unit string
}

// Running returns what each processor is running, in the order of [Stats].Processors. It looks at
// one processor after another, so an operation may be missing that has moved meanwhile, and one
// that has called [Context.Block] has no processor. Any goroutine; it does not wait, and it does
// not slow the running operations down.
func (rt *Runtime) Running() []RunningOperation {
	rt.mustBeMade()
	var all []RunningOperation
	for _, w := range rt.workers() {
		var now RunningOperation
		if now.Operation = w.active.Load().operation(); now.Operation != "" {
			if t := w.processor.Running(); t != nil && w.watched {
				now.Unit = w.nameOfUnit(t)
			}
		}
		all = append(all, now)
	}
	return all
}

// operation returns the name of the operation that runs with c now, empty between operations, and
// if c is nil. Any goroutine may call it.
func (c *Context) operation() string {
	if c == nil || c.inside.Load() == 0 {
		return ""
	}
	return c.lastOperation()
}

// lastOperation returns the name of the operation or activity that runs with c, or ran last.
func (c *Context) lastOperation() string {
	k, title := c.kind.Load(), c.title.Load()
	switch {
	case title != nil:
		return *title
	case k == nil: // the first operation of c begins at this moment
		return ""
	case k.name == "":
		return functionName(c.function.Load())
	}
	return k.name
}
