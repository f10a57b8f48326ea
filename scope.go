package freerun

import (
	"context"
	"fmt"
	"sync"

	"github.com/freerun-go/freerun/internal/ending"
	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/timerwheel"
)

// Scope is a tree of sends that is awaited and canceled together. A message sent through its
// [Scope.Context] belongs to it, and so does all that follows: an operation runs in the scope of
// its message, and its own sends belong to the same scope. Make a Scope with [Runtime.Scope].
//
//	s := rt.Scope(ctx)
//	defer s.Cancel(nil)                     // as with context.WithCancel: releases it from ctx
//	fetch.Send(s.Context(), site, url)      // and all that fetch sends
//	err := s.Wait(ctx)                      // until all of it is done; the first error
//
// A scope made with the context of another scope, or with a context derived from that, is a child.
// A child is canceled with its parent, and the parent's Wait waits for it, but its failures are
// its own and not the parent's.
//
// Any goroutine may call the methods; only Wait waits. A Scope must not be copied; the zero Scope
// is of no use.
type Scope struct {
	//lint:ignore U1000 its method makes this type a place
	activityPlace
	rt       *Runtime
	parent   *Scope // nil without a parent
	failFast bool
	limited  bool // the context given to Runtime.Scope may end
	ctx      context.Context
	cancel   context.CancelCauseFunc

	account quiesce.Account
	failure atomics.Pointer[ScopeError]
	refused atomics.Pointer[canceledError] // the error of its messages once it is canceled
	more    atomics.Pointer[scopeMore]
	key     contextKey // for priority Normal
}

// scopeMore holds the fields that few scopes need. It is allocated on first use, as most scopes
// live for one request.
type scopeMore struct {
	name     string
	keys     [priorities]atomics.Pointer[contextKey] // for other priorities, each made on first use
	timers   timerwheel.List
	waiting  sync.Map // the activities that have waited and not ended → their orderOfWait
	linkOnce sync.Once
	ending   ending.Node // see endingScope
}

func (s *Scope) withMore() *scopeMore {
	if m := s.more.Load(); m != nil {
		return m
	}
	s.more.CompareAndSwap(nil, &scopeMore{})
	return s.more.Load()
}

type scopeKey struct{}

// ScopeOption is a setting for [Runtime.Scope].
type ScopeOption struct{ apply func(*Scope) }

// ScopeName sets the name of a scope, which errors mention.
func ScopeName(name string) ScopeOption {
	return ScopeOption{func(s *Scope) { s.withMore().name = name }}
}

// FailFast has the first failure in the scope cancel the scope. Messages that have not started then
// fail with [ErrCanceled], whose cause is that failure. Wait and the cause report the failure, so
// neither that failure nor a failure that passes it on is logged as lost.
func FailFast() ScopeOption { return ScopeOption{func(s *Scope) { s.failFast = true }} }

// Scope returns a new scope. It is canceled when ctx is done, and has the deadline and values of
// ctx. Call [Scope.Cancel] when the scope is not needed any more: until then a ctx that can be
// canceled keeps the scope from being collected. Any goroutine may call it, operations too; it does
// not wait. It panics if ctx is nil or an option is the zero ScopeOption.
func (rt *Runtime) Scope(ctx context.Context, options ...ScopeOption) *Scope {
	mustContext(ctx)
	rt.mustBeMade()
	rt.env.checkScope(ctx)
	s := &Scope{rt: rt}
	for i, o := range options {
		if o.apply == nil {
			panic(fmt.Sprintf("freerun: Scope with a zero ScopeOption, the one with index %d", i))
		}
		o.apply(s)
	}
	if parent, _ := ctx.Value(scopeKey{}).(*Scope); parent != nil && parent.rt == rt {
		s.parent = parent
		s.account.Below(&parent.account)
	}
	if c, ok := ctx.(*Context); ok && c.rt == rt && c.Scope() == nil {
		ctx = context.Background() // linked to the runtime's end on first use: Scope.linked
		if v := c.key.valuedOf(); v != nil {
			ctx = valuesOnly{ctx, v}
		}
	} else {
		s.limited = ctx != context.Background()
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.key.init(rt, s, sched.Normal)
	return s
}

// Context returns the context through which ordinary goroutines send under the scope. It is a
// [context.Context], done when the scope is canceled. In an operation of another scope,
// [Context.WithScope] returns a faster one.
func (s *Scope) Context() *Context { return s.checked().key.outsider() }

// Name returns the name set by [ScopeName], "" without one.
func (s *Scope) Name() string {
	if m := s.more.Load(); m != nil {
		return m.name
	}
	return ""
}

// Cancel ends the scope and the scopes below it. Messages that have not started fail with an error
// that is [ErrCanceled] and cause; running operations see that their contexts are done. A nil
// cause stands for [context.Canceled].
//
// When Cancel returns:
//   - No message of the scope starts any more, not even a message that lies at a busy unit or
//     waits for a future. Its own future has failed for every caller that asks.
//   - Wait of the scope waits only for messages that were started.
//   - The timers of the scope, and of scopes below, have failed. They are about to fail if
//     something else cancels the scope at the same time.
//
// An operation that was called at the moment of Cancel counts as started, though its first
// instruction may come later. A queued message keeps its argument, and its place in a limited
// mailbox, until its unit comes to it.
//
// The future of a canceled message fails when a caller asks for it. Four kinds of waiters do not
// ask. They learn of the failure when the unit comes to the message, or when the future that the
// message waits for is resolved: a message that was started and has forwarded such a future, or has
// one in its result; a message of another scope with such a future in its argument; an activity of
// another scope that awaits it; and Wait of a scope above that is not canceled.
//
// Any goroutine may call it, operations too; Cancel waits for no operation. Calls after the first
// do nothing.
func (s *Scope) Cancel(cause error) {
	// Without unwatch, a watch might end timers beside this call. The call would find them stopped
	// and return before they have failed.
	s.checked().unwatch()
	s.end(cause)
	s.rt.env.awaitOthers(s.rt.awaitStarts)
	s.endAll()
}

// end cancels the scope and wakes the callers of Wait, which from now on wait for started messages
// only.
func (s *Scope) end(cause error) {
	s.cancel(cause)
	s.account.Open.Wake()
}

// Wait waits until nothing of the scope is open: every message sent under it, or under a scope
// below, has an outcome. A message of a canceled scope that was not started has one.
//
// Wait returns nil if no message of the scope itself has failed and no operation of it has returned
// an error. Otherwise it returns a [*ScopeError] for the first failure, whether or not the program
// has looked at that future. If ctx is done before, it returns ctx's error; if the runtime has
// ended, or its end has ended ctx, before all had an outcome, it returns [ErrClosed].
//
// Messages of SendAfter and the futures of [After] are open until they are due; [Every] has none.
// That the scope was canceled is no failure by itself: Wait returns nil if no message failed by it
// and all that was started ended well. [context.Cause] of [Scope.Context] tells of a cancellation.
//
// Wait cancels nothing: the scope may be used, and waited for, again. Inside an operation or an
// activity it returns an [ErrWouldBlock] at once. It panics if ctx is nil.
//
// An activity waits for the futures and activities that it has started in the scope. Or it has an
// ordinary goroutine wait for the scope, and waits for a latch that the goroutine counts down (see
// the example). It must not wait in this way for a scope that it belongs to, or for a scope above:
// such a wait includes the activity's own end. In a deterministic runtime an activity can wait only
// for the futures and activities, because other ordinary goroutines have no turn while one of them
// drives the runtime.
func (s *Scope) Wait(ctx context.Context) error {
	mustContext(ctx)
	s.checked()
	if sched.Inside() {
		return refusalHere(errScopeInside, errActivityScope)
	}
	if waited, err := s.rt.env.driveUntil(ctx, s); waited {
		return s.outcome(err)
	}
	for {
		zero, canceled := s.nextQuiet()
		if zero == nil {
			return s.outcome(nil)
		}
		var given error
		select {
		case <-zero.Token():
			zero.Wake()
		case <-canceled:
		case <-ctx.Done():
			if given = s.rt.errorOf(ctx); given == ErrClosed {
				given = s.outcome(ErrClosed)
			}
		case <-s.rt.finished:
			given = s.outcome(ErrClosed)
		}
		zero.Leave()
		if given != nil {
			if s.quiet() {
				return s.outcome(nil)
			}
			return given
		}
	}
}

// nextQuiet returns nil if nothing of the scope is open. Otherwise it returns the waiters that are
// woken when that may have changed; the caller is one of them and must leave them. canceled is
// closed when the scope is canceled. It is nil if the scope is canceled already, or if only
// Scope.end can cancel it, which wakes the waiters itself.
func (s *Scope) nextQuiet() (zero *quiesce.Waiters, canceled <-chan struct{}) {
	if !s.canceled() {
		zero = s.account.Open.NextZero(&s.rt.waiters)
		if zero != nil && s.limited {
			canceled = s.ctx.Done()
		}
		if zero == nil || !s.canceled() { // end cancels before it wakes
			return zero, canceled
		}
		zero.Leave()
	}
	if zero = s.account.Running.NextZero(&s.rt.waiters); zero == nil {
		s.blameUnstarted()
	}
	return zero, nil
}

// quiet reports whether nothing of the scope is open.
func (s *Scope) quiet() bool {
	if s.account.Open.Open() == 0 {
		return true
	}
	if !s.canceled() || s.account.Running.Open() != 0 {
		return false
	}
	s.blameUnstarted()
	return true
}

// reached implements condition.
func (s *Scope) reached() bool { return s.quiet() }

// blameUnstarted records the cancellation as the scope's failure, if messages remain that were
// never started. The caller has found that none of its operations runs.
func (s *Scope) blameUnstarted() {
	if s.failure.Load() == nil && s.account.Open.Open() != 0 {
		s.fail("", &s.key.root, s.refusal())
	}
}

// outcome returns the first failure, or err if there was none.
func (s *Scope) outcome(err error) error {
	if first := s.failure.Load(); first != nil {
		return first
	}
	return err
}

func (s *Scope) canceled() bool { return s.ctx.Err() != nil }

// refusal returns the error for messages that are not started, nil if the scope is not canceled.
func (s *Scope) refusal() error {
	if !s.canceled() {
		return nil
	}
	e := s.refused.Load()
	if e == nil {
		s.refused.CompareAndSwap(nil, &canceledError{Scope: s.Name(), Cause: context.Cause(s.ctx)})
		e = s.refused.Load()
	}
	return e
}

// linked returns the scope's context, linked to the runtime: the end of the runtime ends it too.
// The first call makes the link, because few scopes need it, and the runtime keeps a linked scope
// until the scope is canceled.
func (s *Scope) linked() context.Context {
	s.withMore().linkOnce.Do(func() {
		stop := context.AfterFunc(s.rt.ctx, func() { s.end(ErrClosed) })
		context.AfterFunc(s.ctx, func() { stop() })
	})
	if s.rt.ctx.Err() != nil {
		s.end(ErrClosed) // before this call returns; the link's goroutine may be late
	}
	return s.ctx
}

func (s *Scope) checked() *Scope {
	if s == nil || s.rt == nil {
		panic("freerun: a nil or zero Scope; make scopes with Runtime.Scope, and send outside of scopes through Runtime.Context")
	}
	return s
}

// The end of a scope fails its timers and wakes its waiting activities. A scope ends in two ways:
// with the context given to Runtime.Scope, where a goroutine of package context does the work;
// or with the scope above, whose Cancel does the work itself before it returns. So a scope that
// gets its first timer, or its first waiting activity, enrolls for both. internal/ending has the
// protocol; here are its steps E3, E4 and F2:
//
//	E3  the maker of a timer puts it into the scope's list
//	E4  the maker looks whether the scope is canceled
//	F2  the canceler cancels the scope
//
// Checked by: TestExploreEnding (internal/ending), TestScopeCancelEndsTimersBelow, TestTimerScope…

// endingScope is a scope as an [ending.Owner].
type endingScope Scope

func (s *endingScope) Watch(f func()) (stop func() bool) { return context.AfterFunc(s.ctx, f) }

func (s *endingScope) End() { (*Scope)(s).endTimers() }

// enroll does E1 and E2, once.
func (s *Scope) enroll() {
	n := &s.withMore().ending
	if n.Enrolled() {
		return
	}
	var above *ending.Node
	if s.parent != nil {
		s.parent.enroll()
		above = &s.parent.withMore().ending
	}
	n.Enroll((*endingScope)(s), above)
}

// unwatch is F1.
func (s *Scope) unwatch() {
	if m := s.more.Load(); m != nil {
		m.ending.Unwatch()
	}
}

// endAll is F3.
func (s *Scope) endAll() {
	if m := s.more.Load(); m != nil {
		m.ending.EndAll((*endingScope)(s))
	} else {
		s.endTimers()
	}
}

// endTimers fails the timers of the scope, which is canceled, and wakes its waiting activities.
func (s *Scope) endTimers() {
	s.rt.env.endTimersOf(s)
	s.interruptWaiting()
}

// isIn reports whether s is the scope above itself, or lies below it.
func (s *Scope) isIn(above *Scope) bool {
	for ; s != nil; s = s.parent {
		if s == above {
			return true
		}
	}
	return false
}
