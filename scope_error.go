package freerun

import (
	"errors"
	"fmt"
	"strings"
)

// errScopeInside is what Wait of a scope returns inside an operation.
var errScopeInside = fmt.Errorf("freerun: an operation must not wait for a scope; pass on futures of what is in it (%w)", ErrWouldBlock)

// CanceledError is the error of a message that was not started because its scope was canceled. It is [ErrCanceled] and the cause.
type CanceledError struct {
	Scope string // its name, if it has one
	Cause error  // what was given to Cancel, or the cause of the context that ended: context.Cause
}

// Error tells the scope and the cause.
func (e *CanceledError) Error() string {
	if e.Scope == "" {
		return fmt.Sprintf("%v: %v", ErrCanceled, e.Cause)
	}
	return fmt.Sprintf("%v: scope %s: %v", ErrCanceled, e.Scope, e.Cause)
}

// Is reports whether target is ErrCanceled.
func (e *CanceledError) Is(target error) bool { return target == ErrCanceled }

// Unwrap returns the cause.
func (e *CanceledError) Unwrap() error { return e.Cause }

// ScopeError is what [Scope.Wait] returns: the first failure in the scope.
type ScopeError struct {
	Scope     string   // its name, if it has one
	Operation string   // the one that failed, or was not run; empty if the scope was canceled before one was started that a busy unit has still
	Senders   []string // the operations that sent it: the one that sent it first, then who sent that one, and so on; bounded
	Err       error    // the error of its future
}

// Error tells all of it in one line.
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
	fmt.Fprint(&b, e.Err)
	return b.String()
}

// Unwrap returns the error of the future.
func (e *ScopeError) Unwrap() error { return e.Err }

// fail notes that a message from o failed; the first counts.
func (s *Scope) fail(operation string, o *lineage, err error) {
	first := s.failure.CompareAndSwap(nil, &ScopeError{Scope: s.Name(), Operation: operation, Senders: o.chain(), Err: err})
	if first && s.failFast && !errors.Is(err, ErrCanceled) {
		s.end(err)
	}
}

// hasReported reports whether a FailFast scope was canceled because of err, or err only tells that it was: its cause and its Wait tell, and nothing is lost.
func (s *Scope) hasReported(err error) bool {
	first := s.failure.Load()
	return s.failFast && first != nil && (errors.Is(err, first.Err) || err == s.ctx.Err())
}

// blamed returns the scope that is to be told of a failure of l, nil if there is none or it was told of one before.
func (l *message) blamed() *Scope {
	x := l.lineage.Load().keyOf().scopeOf()
	if x == nil || x.failure.Load() != nil {
		return nil
	}
	return x
}

// blame tells the scope of a message that failed before its operation returned, and still has its argument.
func (l *message) blame(k *vtable, err error) {
	if s := l.blamed(); s != nil {
		s.fail(k.describe(l), l.lineage.Load(), err)
	}
}

// blameRan is blame for one whose operation has returned.
func (m *promise) blameRan(at *worker, err error) {
	s := m.blamed()
	if s == nil {
		return
	}
	k, name := m.vtable(), m.vtable().name
	if name == "" && k.fail != nil && at.processor != nil { // just now
		name = functionName(at.active.Load().function.Load())
	} else if name == "" {
		name = k.describe(&m.message)
	}
	s.fail(name, m.lineage.Load(), err)
}
