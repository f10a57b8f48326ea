package freerun

import (
	"slices"
	"sync"
)

// What an observer outside may ask of a running program, beside its figures ([Runtime.Stats]).

// MostLateReports is how many reports of the watchdog a runtime keeps.
const MostLateReports = 32

// incidents are the last reports of the watchdog. Its goroutine writes rarely, and has nothing else
// to do, so a lock guards them.
type incidents struct {
	mu    sync.Mutex
	last  []LateReport // oldest first
	total uint64
}

func (i *incidents) add(late LateReport) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.last) == MostLateReports {
		i.last = slices.Delete(i.last, 0, 1)
	}
	i.last = append(i.last, late)
	i.total++
}

func (i *incidents) count() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.total
}

// LateReports returns the last reports of the watchdog ([Watchdog]), oldest first and at most
// [MostLateReports]; [Stats].Late tells how many there were in all. The slice is the caller's own;
// the stacks in it are shared, and must not be changed. Any goroutine; it does not wait.
func (rt *Runtime) LateReports() []LateReport {
	rt.mustBeMade()
	rt.incidents.mu.Lock()
	defer rt.incidents.mu.Unlock()
	return slices.Clone(rt.incidents.last)
}

// RunningOperation describes the operation that a processor is running at some instant.
type RunningOperation struct {
	// Operation is the operation's short name, or the name of the function for a closure. It is
	// empty if the processor runs none, or has none at this instant.
	Operation string
	// Unit is the unit's name ([UnitName]) or address. It is known with a [Watchdog] only, and
	// empty for a free operation.
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
