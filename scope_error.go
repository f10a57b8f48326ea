package freerun

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/activity"
)

// errScopeInside is the error of Scope.Wait inside an operation.
var errScopeInside = fmt.Errorf("freerun: an operation must not wait for a scope; pass on futures of what is in it (%w)", ErrWouldBlock)

// canceledError is the error of a message that was not started, or of an activity's wait that
// ended, because the scope was canceled; of a message whose timer was stopped; and of a message
// whose Call was given up. For [errors.Is] it is [ErrCanceled] and the cause.
type canceledError struct {
	Scope string // the scope's name, "" without one
	// Cause is the argument of Cancel, context.Cause of the context that ended the scope or the
	// Call, or errStopped.
	Cause error
}

// Error returns the scope's name and the cause.
func (e *canceledError) Error() string {
	if e.Scope == "" {
		return fmt.Sprintf("%v: %v", ErrCanceled, e.Cause)
	}
	return fmt.Sprintf("%v: scope %s: %v", ErrCanceled, e.Scope, e.Cause)
}

// Is reports whether target is ErrCanceled.
func (e *canceledError) Is(target error) bool { return target == ErrCanceled }

// Unwrap returns the cause.
func (e *canceledError) Unwrap() error { return e.Cause }

// ScopeError is the error of [Scope.Wait]: the first failure in the scope.
type ScopeError struct {
	// Scope is the scope's name, "" without one.
	Scope string
	// Operation is the short name of the operation that failed, or was not run. It is empty if the
	// scope was canceled and a busy unit still has a message that was not started.
	Operation string
	// Senders is the chain of sending operations: the operation that sent Operation, then the
	// sender of that one, and so on. Its length is bounded.
	Senders []string
	// Err is the error of the operation's future.
	Err error
}

// Error returns scope, operation, senders and error in one line.
func (e *ScopeError) Error() string {
	b := strings.Builder{}
	b.WriteString("freerun: ")
	if e.Scope != "" {
		b.WriteString("scope " + e.Scope + ": ")
	}
	if e.Operation != "" {
		b.WriteString(e.Operation)
		for _, s := range e.Senders {
			b.WriteString(", sent by " + s)
		}
		b.WriteString(": ")
	}
	b.WriteString(strings.TrimPrefix(fmt.Sprint(e.Err), "freerun: "))
	return b.String()
}

// Unwrap returns the error of the future.
func (e *ScopeError) Unwrap() error { return e.Err }

// fail records that a message with lineage o failed. Only the first failure of a scope is kept.
func (s *Scope) fail(operation string, o *lineage, err error) {
	first := s.failure.CompareAndSwap(nil, &ScopeError{Scope: s.Name(), Operation: operation, Senders: o.chain(), Err: err})
	if first && s.failFast && !is(err, ErrCanceled) {
		s.end(err)
	}
}

// hasReported reports whether a FailFast scope was canceled because of err, or err only says that
// it was canceled. Then the scope's cause and its Wait report err, and it need not be logged as
// lost.
func (s *Scope) hasReported(err error) bool {
	first := s.failure.Load()
	return s.failFast && first != nil && (err == s.ctx.Err() || is(err, first.Err))
}

// blamed returns the scope that must record a failure of m. It is nil if m has no scope, or the
// scope has a failure already.
func (m *message) blamed() *Scope {
	x := m.lineage.Load().keyOf().scopeOf()
	if x == nil || x.failure.Load() != nil {
		return nil
	}
	return x
}

// blame records a failure of m in its scope. m failed before its operation returned, and still has
// its argument.
func (m *message) blame(k *vtable, err error) {
	if full, _ := err.(*fullError); full != nil && full.noWait || err == errWithdrawn {
		return
	}
	if s := m.blamed(); s != nil {
		s.fail(k.describe(m), m.lineage.Load(), err)
	}
}

// blameRan is blame for a message whose operation has returned.
func (m *promised) blameRan(at *worker, err error) {
	s := m.blamed()
	if s == nil {
		return
	}
	k, name := m.vtable(), m.vtable().name
	if name == "" && k.fail != nil && at.processor != nil { // it has just returned, on this worker
		name = functionName(at.active.Load().function.Load())
	} else if name == "" {
		name = k.describe(&m.message)
	}
	s.fail(name, m.lineage.Load(), err)
}

// interruptWaiting wakes the activities of a canceled scope that wait, and reports whether there
// were any. In a deterministic runtime, it wakes them in the order of their first waits.
func (s *Scope) interruptWaiting() (some bool) {
	type waits struct {
		a   *activity.Activity
		nth uint64
	}
	m := s.more.Load()
	if m == nil {
		return false
	}
	var all []waits
	m.waiting.Range(func(a, nth any) bool {
		all = append(all, waits{a.(*activity.Activity), nth.(uint64)})
		return true
	})
	slices.SortFunc(all, func(x, y waits) int { return cmp.Compare(x.nth, y.nth) })
	for _, w := range all {
		some = activities.Interrupt(w.a) || some
	}
	return some
}
