package freerun

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
	"sync"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sched"
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
func (w *worker) label(k *vtable, name string) {
	at := hostStateOf(w.processor.Host())
	if at.labelled == k && k.name != "" {
		return
	}
	at.labelled = k
	pprof.SetGoroutineLabels(labelsOf(k, name))
}

// labelBranch labels the goroutine with the operation that a stolen branch belongs to.
func (w *worker) labelBranch(j *job) {
	name := j.kind.name
	if name == "" {
		name = functionName(j.function)
	}
	w.label(j.kind, name)
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

// observe is called when an operation begins, if it may have an observer. id is m, or the activity
// for which m stands.
func (w *worker) observe(c *Context, k *vtable, m *message, id any) {
	bits := w.observed.Load()
	if bits&byRecorder != 0 {
		w.traceBegin(c, k, m)
	}
	w.env.begins(w, c, k, m, id)
	if bits&byLabels != 0 {
		w.label(k, k.describe(m))
	}
	if trace.IsEnabled() && c.region == nil {
		c.region = trace.StartRegion(context.Background(), k.describe(m))
		c.marks |= inRegion
	}
}

// observeActivity is observe for an activity that has come to run.
func (w *worker) observeActivity(c *Context, a *activity.Activity, r *activitySlot) {
	w.observe(c, slotVtable, &r.message, a)
	if w.observed.Load()&byRecorder != 0 {
		w.traceActivityIn(c, a)
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
		c.endRegion()
	}
	if c.marks&isAway != 0 {
		c.worker.Load().traceEnd(c)
	}
	c.seen, c.marks = 0, c.marks&inRegion
}

// endRegion ends the region of an execution trace, unless it is that of a goroutine for which this
// one stands in, which goes on in it.
func (c *Context) endRegion() {
	if sched.InStandIn() {
		return
	}
	c.region.End()
	c.region = nil
	c.marks &^= inRegion
}

// sending is called when a message is sent to u, if the sender's worker has an observer.
func (w *worker) sending(u *unit, m *message) {
	var id any = m
	if m.vtable().outside { // a promise is not queued
		id = nil
	}
	w.env.sends(w, u, id)
	if w.observed.Load()&byRecorder != 0 {
		if m.vtable().outside {
			w.noteMessage(record.Timer, m.vtable(), m)
		} else {
			w.traceSend(m)
		}
	}
}

// starting is called when an activity is started, if the starter's worker has an observer.
func (w *worker) starting(a *activity.Activity) {
	w.env.sends(w, &w.rt.free, a)
	if w.observed.Load()&byRecorder != 0 {
		w.traceActivity(a)
	}
}

// Stats are the figures of a runtime since it was made. While operations run, figures of different
// processors are not of one instant, and may lag behind; in a runtime that has quiesced they are
// exact. After the end of the runtime, a [Promise] that was not resolved, and the future of [Room],
// is done once it is asked for its outcome. They do not tell which unit runs on which processor,
// nor who sends to whom; recordings do ([Runtime.StartTrace]).
type Stats struct {
	Processors []ProcessorStats

	// Sent counts messages, from inside and outside, as they are sent. It includes those that a
	// full mailbox or a stopped unit refuses: they are done and failed then, so Failed is a part of
	// Sent. It does not count messages that are refused before: with ErrClosed, ErrOtherRuntime or
	// ErrSameUnit, or by a scope that was canceled already.
	Sent uint64
	// Done counts those of Sent that were run or have failed. In all these figures an activity
	// counts as a message.
	Done uint64
	// Failed counts those of Done that were not run to their end: refused or canceled, a future
	// failed, a panic, or the end of the runtime.
	Failed uint64
	// Lost counts failures of messages without a future. It does not count those that the end of
	// the runtime abandoned, and those that a FailFast scope reports.
	Lost   uint64
	Panics uint64 // operations that panicked, or called runtime.Goexit
	Late   uint64 // operations that the watchdog has reported ([Watchdog])
	// Untold counts reports to the logger, and calls of the hook of [OnLost], that were dropped as
	// one before them took too long ([Logger]).
	Untold uint64
}

// ProcessorStats are the figures of one processor.
type ProcessorStats struct {
	Messages uint64 // operations run to their end
	Steals   uint64 // times that it took work from another processor
	Stolen   uint64 // units and free operations that it took so
	Searches uint64 // times that it looked for work everywhere
	Parks    uint64 // times that it had nothing to do, and slept
	Wakes    uint64 // times that it was woken to look for work
	Yields   uint64 // times that it was busy, and let other goroutines run

	// Units and free operations of these priorities that it has taken to run.
	High, Low, Idle uint64
}

// Stats returns the figures of the runtime. Any goroutine; it does not wait.
func (rt *Runtime) Stats() Stats {
	rt.mustBeMade()
	var stats Stats
	stats.Failed, stats.Lost, stats.Panics = rt.ingress.failed.Load(), rt.ingress.lost.Load(), rt.ingress.panics.Load()
	stats.Late, stats.Untold = rt.lateReports.count(), rt.reports.untold()
	stats.Done = rt.done()
	stats.Sent = rt.sent()
	for i, w := range rt.workers() {
		p := rt.scheduler.Processors()[i].Stats()
		stats.Processors = append(stats.Processors, ProcessorStats{
			Messages: w.counters.ran.Load(), Steals: p.Steals, Stolen: p.Stolen, Searches: p.Searches, Parks: p.Parks, Wakes: p.Wakes,
			Yields: p.Yields, High: p.High, Low: p.Low, Idle: p.Idle,
		})
		stats.Failed += w.counters.failed.Load()
		stats.Lost += w.counters.lost.Load()
		stats.Panics += w.counters.panics.Load()
	}
	return stats
}

// LostMessages returns the last messages that were lost, oldest first and at most
// [MostLostMessages]; [Stats].Lost tells how many there were in all. Any goroutine; it does not
// wait, and hinders no message.
func (rt *Runtime) LostMessages() []LostMessage {
	rt.mustBeMade()
	return rt.lostMessages.last()
}
