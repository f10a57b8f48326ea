package freerun

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
	"sync"

	"github.com/freerun-go/freerun/activity"
)

// What a profile and an execution trace see of operations. Neither costs more than a look at a flag while it is off.

// Label is the key of the label that [Labels] puts on profiles.
const Label = "freerun_operation"

// Labels has operations labelled in CPU and goroutine profiles: each sample in one has the label [Label] with the operation's name, or that of the
// function for a closure, so that `go tool pprof -tagfocus` and -tagroot can tell what time goes to. It costs some tens of nanoseconds each time
// that a processor turns from one operation to another.
//
// Execution traces need no option: while runtime/trace is on, each operation is a region with its name.
func Labels() Option { return func(s *settings) { s.labels = true } }

// labels has the contexts with the labels of operations: those with a name by kind, closures by their name.
var labels sync.Map // *kind or string → context.Context

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

// label labels the goroutine with the name of an operation of kind k, unless it has that label.
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

// Who wants to know what operations do, as bits of seat.observed.
const (
	bySchedule uint64 = 1 << iota // of a deterministic runtime
	byLabels
	byRecorder // trace.go
)

// observers returns those of the bits that do not change.
func (rt *Runtime) observers() (bits uint64) {
	if rt.deterministic() {
		bits |= bySchedule
	}
	if rt.labels {
		bits |= byLabels
	}
	return bits
}

// observe is called when an operation begins, if somebody may want to know.
func (s *worker) observe(c *Context, k *vtable, l *message) {
	bits := s.observed.Load()
	if bits&byRecorder != 0 {
		s.traceBegin(c, k, l)
	}
	if bits&bySchedule != 0 {
		s.rt.schedule.Began(s.processor.Index(), k.describe(l))
	}
	if bits&byLabels != 0 {
		s.label(k, k.describe(l))
	}
	if s.rt.timed != nil {
		s.beginTimed(c, l)
	}
	if trace.IsEnabled() {
		c.region = trace.StartRegion(context.Background(), k.describe(l))
		c.marks |= inRegion
	}
}

// observeActivity is observe for an activity that has come to run.
func (s *worker) observeActivity(c *Context, a *activity.Activity, r *activitySlot) {
	s.observe(c, slotVtable, &r.letter)
	if s.observed.Load()&byRecorder != 0 {
		s.traceActivityIn(c, a)
	}
}

// Marks in Context.marks.
const (
	inRegion uint8 = 1 << iota // there is a region
	isAway                     // it has left its processor, which was recorded
	isTimed                    // it is to be told when it ends
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

// sending is called when a message is sent to u, if somebody wants to know.
func (s *worker) sending(u *unit, l *message) {
	if s.driven && s.processor != nil {
		s.pauseToSend(u)
	}
	if s.observed.Load()&byRecorder != 0 {
		s.traceSend(l)
	}
}

// starting is called when an activity is started, if somebody wants to know.
func (s *worker) starting(a *activity.Activity) {
	if s.driven && s.processor != nil {
		s.pauseToSend(&s.rt.free)
	}
	if s.observed.Load()&byRecorder != 0 {
		s.traceActivity(a)
	}
}
