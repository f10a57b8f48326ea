package freerun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
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
// The hook runs on a goroutine of its own, where the message failed: its processor goes on once the
// hook has returned, or after 10 ms. It may send, and must not wait: waits of the runtime are
// refused there as in an operation. What it sends may be lost, too, and then the hook is called for
// that. Hooks may run side by side. One that panics is reported, and harms nothing else. OnLost
// panics if hook is nil.
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
	rt.tell("the hook of OnLost", func() { sched.RunInside(func() { rt.onLost(lost) }) }, func(crash *PanicError) {
		rt.log(slog.LevelError, "hook panicked", "operation", lost.Operation, "panic", crash.Value, "stack", string(crash.Stack))
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
	logger := rt.logger
	if logger == nil {
		logger = slog.Default()
	}
	rt.tell("the logger", func() { logger.Log(context.Background(), level, "freerun: "+text, args...) }, func(*PanicError) {})
}

// tellFor is how long a processor waits for what it tells the user.
const tellFor = 10 * time.Millisecond

// tell runs the user's function f, which needs no answer, as guard does. A processor waits for it
// for a moment only: f may wait for a lock of an activity that was preempted, or has yielded, on
// the same processor, and for a pipe that nobody reads. If f panics, tell calls crashed.
func (rt *Runtime) tell(what string, f func(), crashed func(*PanicError)) {
	done := begin(what, f)
	after := func(crash *PanicError) {
		if crash != nil {
			crashed(crash)
		}
	}
	if !sched.Inside() {
		after(<-done)
	} else if crash, ended := rt.env.awaitBriefly(done, tellFor); ended {
		after(crash)
	} else {
		go func() { after(<-done) }()
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
func guard(what string, f func()) (crash *PanicError) { return <-begin(what, f) }

// begin begins what guard does, and returns what tells its end.
func begin(what string, f func()) <-chan *PanicError {
	done, inside := make(chan *PanicError), sched.Inside()
	go func() {
		crash := &PanicError{Operation: what, Value: ErrGoexit}
		defer func() {
			if crash != nil {
				if v := recover(); v != nil {
					crash.Value = v
				}
				crash.Stack = debug.Stack()
			}
			done <- crash
		}()
		if inside {
			sched.RunInside(f)
		} else {
			f()
		}
		crash = nil
	}()
	return done
}
