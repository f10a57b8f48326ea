package freerun

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sched"
)

// Future is the promise of an operation's result: a small value, which any goroutine may copy, keep
// and pass on. An operation cannot wait for a future; it passes it on as an argument, or with
// [Forward], [Then], [Then2] or [Handle]. The zero Future promises nothing: Wait, Result and
// Forward return [ErrNoFuture], the futures that Then and Handle return fail with it, Value and
// Done panic; in an argument it is not waited for.
//
// A Future[R] holds an R, for a result that was known at once. So a type cannot hold a future of
// itself, but it can hold a future of a pointer to itself. A future keeps its result alive, and
// the unit to which the message was sent, but not the argument of its operation.
type Future[R any] struct {
	value R // the result, if it was known at once; then cell is known
	cell  *result[R]
}

// known is the cell of all futures that hold their result themselves. It is filled; its other
// fields stay zero.
var known = func() *promised {
	m := &promised{}
	m.Make(nil)
	return m
}()

// Resolved returns a future that has the result v already. It does not wait for futures in v. It
// does not allocate.
func Resolved[R any](v R) Future[R] {
	return Future[R]{value: v, cell: *(**result[R])(unsafe.Pointer(&known))}
}

// isKnown reports whether f holds its result itself.
func (f *Future[R]) isKnown() bool { return f.cell != nil && &f.cell.promised == known }

// result returns the result of f, which must have one.
func (f *Future[R]) result() R {
	if f.isKnown() {
		return f.value
	}
	return f.cell.value
}

// Failed returns a future that has failed with err already. It panics if err is nil.
func Failed[R any](err error) Future[R] {
	if err == nil {
		panic("freerun: Failed with a nil error")
	}
	r := &result[R]{}
	r.promised.Make(promise.NewFailure(err))
	return Future[R]{cell: r}
}

// Result returns the result, or the error that the future failed with, or [ErrWouldBlock] if it
// has no outcome yet. Any goroutine may call it, and it does not wait.
func (f Future[R]) Result() (R, error) {
	if f.cell == nil {
		return *new(R), ErrNoFuture
	}
	closed, err := f.cell.promised.outcomeNow()
	switch {
	case err != nil:
		return *new(R), err
	case !closed:
		return *new(R), ErrWouldBlock
	}
	return f.result(), nil
}

// Senders returns the names of the operations that sent the message of a future which has failed
// under a scope: the operation that sent it, then the operation that sent the message of that
// one, and so on, up to 16, also over machines: cluster.Travels. It returns nil if an ordinary
// goroutine sent the message, and for other futures. It does not wait. The slice must not be
// changed.
func (f Future[R]) Senders() []string {
	if f.cell == nil {
		return nil
	}
	if failure := f.cell.promised.Failure(); failure != nil {
		return failure.Senders
	}
	return nil
}

// Value returns the result of a future that is known to have one: while an operation runs, every
// future that came in its argument has a result. It does not wait. It panics if the future has no
// outcome yet, has failed, or is the zero Future.
func (f Future[R]) Value() R {
	if f.cell != nil && f.cell.promised.HasValue() {
		return f.result()
	}
	_, err := f.Result()
	if err == ErrWouldBlock {
		err = errValueOpen
	}
	panic(err)
}

// Done returns a channel that is closed once the future has an outcome. The first call makes the
// channel; every call returns the same one while there is no outcome. Done is for ordinary
// goroutines: an operation must not receive from the channel, because the runtime cannot refuse
// that wait, which may never end. It panics for the zero Future.
func (f Future[R]) Done() <-chan struct{} {
	if f.cell == nil {
		panic(ErrNoFuture)
	}
	closed := f.cell.promised.doneChannel()
	f.cell.promised.closeWithScope()
	return closed
}

// Wait waits until the future has an outcome and returns it. If ctx is done first, Wait returns the
// error of ctx, or [ErrClosed] if ctx is done by the end of the runtime, as with [Runtime.Context].
// If the outcome is there by then, Wait returns the outcome. A message is run even if its waiter
// gives up, except for the message of [Operation.Call].
//
// Wait is for ordinary goroutines: inside an operation or an activity it returns an
// [ErrWouldBlock] at once if there is no outcome yet, whatever ctx is; an activity calls
// [Future.Await]. A coroutine that an operation has made with iter.Pull counts as that operation,
// here and wherever ordinary goroutines wait, on amd64 and arm64 without the build tag
// freerun_portable. Elsewhere it counts as an ordinary goroutine: it holds the processor while it
// waits, and waits for ever if its future needs that processor. In a deterministic runtime Wait
// runs what there is to run meanwhile. It panics if ctx is nil.
func (f Future[R]) Wait(ctx context.Context) (R, error) {
	mustContext(ctx)
	if f.cell == nil {
		return *new(R), ErrNoFuture
	}
	if err := f.cell.promised.wait(ctx); err != nil {
		return *new(R), err
	}
	return f.Result()
}

// wait is [Future.Wait]: it waits until m has an outcome, and returns nil, or the error with which
// it has given up.
func (m *promised) wait(ctx context.Context) error {
	switch {
	case m.closedNow():
		m.traceSeen()
		return nil
	case sched.Inside():
		m.traceSeen()
		return refusalHere(ErrWouldBlock, errActivityWaits)
	}
	defer m.traceSeen()
	if waited, err := m.unit.rt.env.driveUntil(ctx, m); waited {
		return err
	}
	var canceled <-chan struct{}
	if x := m.scope(); x != nil {
		canceled = x.ctx.Done()
	}
	// A canceled scope ends the wait only if the message has not begun. After that, the loop
	// waits for the outcome or for ctx alone.
	for closed := m.doneChannel(); ; canceled = nil {
		select {
		case <-closed:
			return nil
		case <-canceled:
			if m.closedNow() {
				return nil
			}
		case <-ctx.Done():
			if !m.closedNow() {
				return m.unit.rt.errorOf(ctx)
			}
			return nil
		}
	}
}

func mustContext(ctx context.Context) {
	if ctx == nil {
		panic("freerun: a nil context.Context; use context.Background() if there is none")
	}
}

// Forward makes the outcome of f the outcome of the running operation: `return freerun.Forward(c,
// f)` ends an operation that leaves its result to another. It does not wait. The operation of c
// returns what Forward returns, unchanged: for a future whose result was known when it was made
// that is the result, otherwise an error that stands for the outcome of f. If the operation
// returns nil instead, its future fails with [ErrForward], and so does the future of any other
// operation that returns this error, or whose result is of another type. For the zero Future the
// error is [ErrNoFuture].
func Forward[R any](c *Context, f Future[R]) (R, error) {
	var none R
	if f.cell == nil {
		return none, ErrNoFuture
	}
	if f.isKnown() {
		return f.value, nil
	}
	if running := c.checked().running(); running != nil {
		if running.forks.branched() {
			return none, errBranchForwards
		}
		running.forwarded = f.cell
	}
	return none, ErrForward
}

// forwardsOther is the error of an operation with results of type by, which has returned the error
// of Forward, but has forwarded nothing, or the result of a future of another type.
func forwardsOther(forwarded any, by reflect.Type) error {
	if forwarded == nil {
		return ErrForward
	}
	of, _ := reflect.TypeOf(forwarded).Elem().FieldByName("value")
	return fmt.Errorf("freerun: a future of %v is forwarded by an operation whose result is %v; have Then make the one of the other (%w)", of.Type, by, ErrForward)
}
