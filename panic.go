package freerun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// crashed is called on a processor's goroutine after a task panicked with value; nil stands for
// runtime.Goexit. The future of the operation fails, and the unit goes on with the next message.
func crashed(h *sched.Host, t *sched.Task, value any, stack []byte) {
	p := h.Processor()
	c := contextOf(h, p)
	if p != nil && c.current != nil && t.Kind != jobVtable && asksUser(t, c.current) {
		w := workerOf(p)
		w.env.leaveCrashed(c, w, t)
	}
	w, m := c.worker.Load(), c.current
	c.forwarded = nil
	c.end()
	if t.Kind == jobVtable && value == nil {
		return // runtime.Goexit in a stolen branch: steal has told the joiner
	}
	if m == nil {
		panic(value) // no operation's panic: a defect of the runtime must not go unseen
	}
	k := m.vtable()
	err := w.panicked(k.describe(m), k.unitName(m), m.lineage.Load(), value, stack)
	w.pressed = nil
	u := unitRunBy(t)
	if u != nil {
		u.faulted(err)
	} else if k.multiAt != 0 {
		k.multi(m).faulted(err)
	}
	from := m.lineage.Load()
	k.fail(w, m, err)
	from.ended(w)
	if u != nil {
		u.restOrGoOn(w)
	}
}

// unitName returns the name of the unit of a message. It is empty for a unit without a name, for
// several units, and for none.
func (k *vtable) unitName(m *message) string {
	if k.multiAt != 0 {
		return ""
	}
	return m.unit.called()
}

// panicked counts and reports an operation that panicked with value; nil stands for runtime.Goexit.
// unit is the name of its unit: see unitName.
func (w *worker) panicked(operation, unit string, from *lineage, value any, stack []byte) *PanicError {
	if value == nil {
		value = ErrGoexit
	}
	// After a join, the branch's own panic and stack count.
	if e, ok := value.(*PanicError); ok && e.branch {
		value, stack = e.Value, e.Stack
	}
	if w.processor != nil {
		w.counters.panics.Add(1)
	} else {
		w.rt.ingress.panics.Add(1)
	}
	about := []any{"operation", operation, "panic", value, "stack", string(stack)}
	if unit != "" {
		about = append(about, "unit", unit)
	}
	w.rt.log(slog.LevelError, "operation panicked", from.report(about)...)
	return &PanicError{Operation: operation, Unit: unit, Value: value, Stack: stack}
}

// OnLost calls hook for each message that is lost: see [LostMessage]. Messages that the end of the
// runtime abandons are not among them, nor those that a canceled scope has failed, or a FailFast
// scope reports. [Runtime.LostMessages] has the last ones, with and without a hook.
//
// The hook runs on a goroutine of its own, for one message after another, in their order. The
// processor where a message failed goes on once the hook has returned, or after 10 ms, another
// goroutine after a second. The hook may send, and must not wait: waits of the runtime are refused
// there as in an operation. What it sends may be lost, too, and then the hook is called for that,
// afterwards. One that panics is reported, and harms nothing else. While one takes long, nobody
// waits for it, and up to 256 messages are kept for it; those beyond it is not called for, which is
// logged, and [Stats].Untold counts them. [Runtime.Shutdown] and [Runtime.Close] wait for the rest.
// OnLost panics if hook is nil.
func OnLost(hook func(LostMessage)) Option {
	if hook == nil {
		panic("freerun: OnLost with a nil hook")
	}
	return Option{func(s *settings) { s.onLost = hook }}
}

// lose counts and reports the failure of a message that has no future.
func (w *worker) lose(k *vtable, m *message, err error) {
	if x := m.lineage.Load().keyOf().scopeOf(); x != nil && x.hasReported(err) {
		return
	}
	rt := m.unit.rt
	if w.at(rt) {
		w.counters.lost.Add(1)
	} else {
		rt.ingress.lost.Add(1)
	}
	rt.keepLost(k, m, err)
	if _, told := err.(*PanicError); told {
		return
	}
	// At most one report a second: a flood of failures must not become a flood of text.
	now := time.Now().UnixNano()
	last := rt.lostAt.Load()
	if now-last < int64(time.Second) || !rt.lostAt.CompareAndSwap(last, now) {
		return
	}
	about := []any{"operation", k.describe(m), "error", err, "lost", rt.Stats().Lost}
	if unit := k.unitName(m); unit != "" {
		about = append(about, "unit", unit)
	}
	rt.log(slog.LevelWarn, "operation without a future failed", m.lineage.Load().report(about)...)
}

// keepLost puts a lost message where a program can read it, and calls the hook.
func (rt *Runtime) keepLost(k *vtable, m *message, err error) {
	from := m.lineage.Load()
	lost := LostMessage{At: rt.env.now(), Operation: k.describe(m), Err: err, Unit: m.unit.nameOrAddress(), Senders: from.chain()}
	if x := from.keyOf().scopeOf(); x != nil {
		lost.Scope = x.Name()
	}
	if k.multiAt != 0 {
		lost.Unit = ""
	}
	kept := lost
	kept.Err = withoutValues(err)
	rt.lostMessages.add(kept)
	if rt.onLost == nil {
		return
	}
	rt.tell(&rt.reports.losses, &report{
		what: "the hook of OnLost",
		tell: func() { sched.RunInside(func() { rt.onLost(lost) }) },
		crashed: func(crash *PanicError) {
			rt.log(slog.LevelError, "hook panicked", "operation", lost.Operation, "panic", crash.Value, "stack", string(crash.Stack))
		},
	})
}

// withoutValues returns err with each panic's value as its text, unless that is an error or plain
// already: what a program panics with may lead to all of its state, which a list of failures must
// not keep in memory.
func withoutValues(err error) error {
	switch e := err.(type) {
	case *PanicError:
		return e.withoutValue()
	case *StoppedError:
		if e.Err != nil {
			return &StoppedError{Err: e.Err.withoutValue(), Restarts: e.Restarts}
		}
	case *ArgumentError:
		return &ArgumentError{Operation: e.Operation, Err: withoutValues(e.Err), links: e.links}
	case *ActivationError:
		return &ActivationError{Kind: e.Kind, Key: e.Key, Err: withoutValues(e.Err)}
	}
	return err
}

func (e *PanicError) withoutValue() *PanicError {
	switch e.Value.(type) {
	case error, string, bool, int, uint, float64:
		return e
	}
	text := fmt.Sprintf("a %T", e.Value) // stays if the method String ends its goroutine
	guard("the text of a panic's value", func() { text = fmt.Sprint(e.Value) })
	kept := *e
	kept.Value = text
	return &kept
}

// log reports to the logger. The logger is the user's, and so are the methods of the values that it
// reports. So it is called as tell does.
func (rt *Runtime) log(level slog.Level, text string, args ...any) {
	rt.tell(&rt.reports.logs, rt.logged(level, text, args...))
}

// logged returns a report to the logger. Its record has the time of now, whenever it is told, and
// the place of the caller's caller.
func (rt *Runtime) logged(level slog.Level, text string, args ...any) *report {
	logger, now := rt.logger, time.Now()
	if logger == nil {
		logger = slog.Default()
	}
	var place [1]uintptr
	runtime.Callers(3, place[:])
	tell := func() {
		ctx, h := context.Background(), logger.Handler()
		if h.Enabled(ctx, level) {
			r := slog.NewRecord(now, level, "freerun: "+text, place[0])
			r.Add(args...)
			_ = h.Handle(ctx, r) // as slog.Logger does
		}
	}
	return &report{what: "the logger", tell: tell, crashed: func(*PanicError) {}}
}

// How long those who report wait for the user's function.
const (
	// tellFor is for processors.
	tellFor = 10 * time.Millisecond
	// tellLong is for other goroutines, and for each wait at the end of the runtime.
	tellLong = time.Second
)

// tell tells r in the line l, and waits for a moment for that.
func (rt *Runtime) tell(l *reportLine, r *report) {
	most := tellLong
	if r.inside = sched.Inside(); r.inside {
		most = tellFor
	}
	rt.env.tell(l, r, most)
}

// startReports makes the lines of reports. What it gives them is called by tellers.
func (rt *Runtime) startReports() {
	logs := func(n uint64) *report {
		return rt.logged(slog.LevelWarn, "the logger has taken too long, and reports to it were dropped", "dropped", n)
	}
	losses := func(n uint64) *report {
		return &report{what: "a report", crashed: func(*PanicError) {}, tell: func() {
			rt.log(slog.LevelWarn, "the hook of OnLost has taken too long, and was not called for all lost messages", "dropped", n)
		}}
	}
	rt.reports.init(logs, losses)
}

// awaitReports waits until all reports were told. It returns ctx's error if ctx is done before, and
// nil at once when the runtime gives up what has not ended: end waits then.
func (rt *Runtime) awaitReports(ctx context.Context) error {
	select {
	case <-rt.reports.told():
	case <-rt.ctx.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// lastReports waits until all reports were told, for tellLong at most, and returns how many are
// left.
func (rt *Runtime) lastReports() uint64 {
	over := time.NewTimer(tellLong)
	defer over.Stop()
	select {
	case <-rt.reports.told():
		return 0
	case <-over.C:
		return rt.reports.giveUp()
	}
}

// is is errors.Is for an error of the user's, whose methods may panic, or end their goroutine. If
// they do, is returns false.
func is(err, target error) (yes bool) {
	switch err.(type) {
	case interface{ Is(error) bool }, interface{ Unwrap() error }, interface{ Unwrap() []error }:
		if _, ours := err.(*canceledError); ours && target == ErrCanceled {
			return true
		}
		guard("methods of an error", func() { yes = errors.Is(err, target) })
		return yes
	}
	return errors.Is(err, target) // calls no method
}

// guard runs the user's function f where neither a panic nor a Goexit may go on, and returns what f
// ended with. It needs a goroutine of its own for that, so it is only for rare events. If the
// caller runs a task, f counts as a part of that task: waits in f are refused.
func guard(what string, f func()) (crash *PanicError) {
	done, inside := make(chan *PanicError), sched.Inside()
	go attempt(what, inside, f, func(crash *PanicError) { done <- crash })
	return <-done
}
