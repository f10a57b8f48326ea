package freerun

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
	"sync"

	"github.com/freerun-go/freerun/activity"
)

// What profiles and execution traces see of operations. While one is off, it costs a look at a
// flag.

// Label is the key of the label that [Labels] puts on profiles.
const Label = "freerun_operation"

// Labels has operations labelled in CPU and goroutine profiles. Each sample taken in an operation
// has the label [Label] with the operation's short name, or that of the function for a closure. So
// `go tool pprof -tagfocus` and -tagroot tell where time goes. Labels costs some tens of
// nanoseconds each time that a processor turns from one operation to another.
//
// Execution traces need no option: while runtime/trace is on, each operation is a region with its
// name.
func Labels() Option { return Option{func(s *settings) { s.labels = true }} }

// labels has a context with the label of each operation: by vtable if it has a name, by name if it
// is a closure.
var labels sync.Map // *vtable or string → context.Context

func labelsOf(k *vtable, name string) context.Context {
	key := any(k)
	if k.name == "" {
		key = name
	}
	if ctx, ok := labels.Load(key); ok {
		return ctx.(context.Context)
	}
	ctx := pprof.WithLabels(context.Background(), pprof.Labels(Label, name))
	labels.Store(key, ctx)
	return ctx
}

// label labels the goroutine with the name of an operation with vtable k, unless it has that label.
func (s *worker) label(k *vtable, name string) {
	at := hostStateOf(s.processor.Host())
	if at.labelled == k && k.name != "" {
		return
	}
	at.labelled = k
	pprof.SetGoroutineLabels(labelsOf(k, name))
}

// labelBranch labels the goroutine with the operation that a stolen branch belongs to.
func (s *worker) labelBranch(j *job) {
	name := j.kind.name
	if name == "" {
		name = functionName(j.function)
	}
	s.label(j.kind, name)
}

// The observers of operations: bits of worker.observed.
const (
	bySchedule uint64 = 1 << iota // the schedule of a deterministic runtime
	byLabels
	byRecorder // a recording; see trace.go
)

// observers returns the bits that do not change while the runtime exists.
func (rt *Runtime) observers() (bits uint64) {
	bits = rt.env.observers()
	if rt.labels {
		bits |= byLabels
	}
	return bits
}

// observe is called when an operation begins, if it may have an observer.
func (s *worker) observe(c *Context, k *vtable, l *message) {
	bits := s.observed.Load()
	if bits&byRecorder != 0 {
		s.traceBegin(c, k, l)
	}
	s.env.begins(s, c, k, l)
	if bits&byLabels != 0 {
		s.label(k, k.describe(l))
	}
	if trace.IsEnabled() {
		c.region = trace.StartRegion(context.Background(), k.describe(l))
		c.marks |= inRegion
	}
}

// observeActivity is observe for an activity that has come to run.
func (s *worker) observeActivity(c *Context, a *activity.Activity, r *activitySlot) {
	s.observe(c, slotVtable, &r.message)
	if s.observed.Load()&byRecorder != 0 {
		s.traceActivityIn(c, a)
	}
}

// The marks in Context.marks.
const (
	inRegion uint8 = 1 << iota // Context.region is open
	isAway                     // it has left its processor, and that was recorded
	isTimed                    // endTimed is to be called at its end
)

// observeEnd is called when an operation ends that has a mark.
func (c *Context) observeEnd() {
	if c.marks&isTimed != 0 {
		c.endTimed()
	}
	if c.region != nil {
		c.region.End()
		c.region = nil
	}
	if c.marks&isAway != 0 {
		c.worker.Load().traceEnd(c)
	}
	c.seen, c.marks = 0, 0
}

// sending is called when a message is sent to u, if the sender's worker has an observer.
func (s *worker) sending(u *unit, l *message) {
	s.env.sends(s, u)
	if s.observed.Load()&byRecorder != 0 {
		s.traceSend(l)
	}
}

// starting is called when an activity is started, if the starter's worker has an observer.
func (s *worker) starting(a *activity.Activity) {
	s.env.sends(s, &s.rt.free)
	if s.observed.Load()&byRecorder != 0 {
		s.traceActivity(a)
	}
}
