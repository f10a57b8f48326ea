package freerun

import (
	"context"
	"fmt"
	"sync"

	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Scope is a tree of sends that is awaited and canceled together. What is sent through its [Scope.Context] belongs to it, and so
// does all that follows: an operation runs in the scope of its message, and what it sends is of the same scope. Make it with
// [Runtime.Scope].
//
//	s := rt.Scope(ctx)
//	defer s.Cancel(nil)                     // as with context.WithCancel: frees what ctx keeps for it
//	fetch.Send(s.Context(), site, url)      // and whatever fetch sends
//	err := s.Wait(ctx)                      // until all of it is done; the first error
//
// A scope that is made with the context of another one, or with one derived from it, is a child: it is canceled with its parent, and
// the parent's Wait waits for it; but its failures are its own, and not the parent's. All methods may be called by any goroutine; only
// Wait waits. A Scope must not be copied; the zero Scope is of no use.
type Scope struct {
	//lint:ignore U1000 its method makes this type a place
	activityPlace
	rt       *Runtime
	parent   *Scope // nil if it is in no other
	failFast bool
	limited  bool // the context that it was made with may end
	ctx      context.Context
	cancel   context.CancelCauseFunc

	account quiesce.Account
	failure atomics.Pointer[ScopeError]
	refused atomics.Pointer[CanceledError] // what its messages fail with, once it is canceled
	more    atomics.Pointer[scopeMore]
	key     contextKey // of Normal
}

// scopeMore has what few scopes need, made when it is needed first: most live for one request.
type scopeMore struct {
	name     string
	keys     [priorities]atomics.Pointer[contextKey] // of other priorities, made when they are needed
	timers   timerList
	waiting  sync.Map // *activity.Activity → nil: those that have waited, and not ended
	linkOnce sync.Once
	// Of the end; see scope_end.go.
	enrollOnce sync.Once
	watching   atomics.Pointer[watching]
	below      sync.Map // *Scope → nil: those that have enrolled
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
type ScopeOption func(*Scope)

// ScopeName gives a scope a name, for errors.
func ScopeName(name string) ScopeOption { return func(s *Scope) { s.withMore().name = name } }

// FailFast has the first failure in the scope cancel it: what has not started then fails with
// [ErrCanceled], whose cause is that failure. It is told by Wait and as the cause, so neither that
// failure nor one that passes it on is logged as lost.
func FailFast() ScopeOption { return func(s *Scope) { s.failFast = true } }

// Scope returns a new scope, which is canceled when ctx is done, and has its deadline and values. Any goroutine, operations too; it does
// not wait. Call [Scope.Cancel] when it is not needed any more: until then ctx, if it can be
// canceled, keeps it. It panics if ctx or an option is nil.
func (rt *Runtime) Scope(ctx context.Context, options ...ScopeOption) *Scope {
	mustContext(ctx)
	rt.mustBeMade()
	s := &Scope{rt: rt}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("freerun: Scope with a nil option, the one with index %d", i))
		}
		o(s)
	}
	if parent, _ := ctx.Value(scopeKey{}).(*Scope); parent != nil && parent.rt == rt {
		s.parent = parent
		s.account.Below(&parent.account)
	}
	if c, ok := ctx.(*Context); ok && c.rt == rt && c.Scope() == nil {
		ctx = context.Background() // of this runtime: linked when it is needed
	}
	s.limited = ctx != context.Background()
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.key.init(rt, s, Normal)
	return s
}

// Context returns the context for sends under the scope by ordinary goroutines. It is a [context.Context], done when the scope
// is canceled. In an operation of another scope, [Context.In] returns a faster one.
func (s *Scope) Context() *Context { return &s.checked().key.outside }

// Name returns the name that the scope was given.
func (s *Scope) Name() string {
	if m := s.more.Load(); m != nil {
		return m.name
	}
	return ""
}

// Cancel ends the scope: what has not started of it, and of scopes below, fails with an error that is [ErrCanceled] and cause;
// operations that run see that their contexts are done. cause is [context.Canceled] if nil. When Cancel returns, no message of the
// scope is started any more, also of what lies at busy units or waits for futures: its future has failed for all that ask it, and Wait of the scope
// waits for those only that were started. Three do not ask, and learn of the failure when the unit comes to the message, or the future that it waits for is resolved: a message of
// another scope that has such a future in its argument, an activity of another scope that awaits it, and Wait of a scope above that is not canceled. Its timers, and those of scopes below, have failed, or are about to if
// something else cancels the scope at the same time. An operation that was called in the moment of Cancel counts as started, though its first instruction may come
// later. What was queued keeps its argument, and its place in a limited mailbox, until its unit comes to it.
// Any goroutine, operations too; Cancel waits for no operation. Calls after the first do nothing.
func (s *Scope) Cancel(cause error) {
	s.checked().unwatch() // or a watch would end timers beside this call, which would find them stopped, and return before they have failed
	s.end(cause)
	s.rt.awaitStarts()
	s.endAll()
}

// end cancels the scope, and wakes those who wait for all of it: now they wait for what was started.
func (s *Scope) end(cause error) {
	s.cancel(cause)
	s.account.Open.Wake()
}

// Wait waits until nothing of the scope is open: every message that was sent under it, or under a
// scope below, has an outcome; those of a canceled scope that were not started have one. It returns
// nil if none of its own has failed and no operation of its own has returned an error; otherwise a
// [*ScopeError] for the first that did, whether or not anybody has looked at its future. If ctx is
// done before, Wait returns ctx's error, and [ErrClosed] if the runtime has ended, or its end has ended ctx, before
// all had an outcome. It cancels nothing: the scope may be used, and waited for, again. Inside an operation or
// an activity it returns an [ErrWouldBlock] at once. It panics if ctx is nil.
//
// An activity waits for the futures and activities that it has started in the scope, or has an
// ordinary goroutine wait for the scope, and waits for a latch that this one counts down (the
// example). It must not wait so for a scope that it belongs to itself, or for one above: its own
// end is what would be waited for. In a deterministic runtime, where ordinary goroutines have no
// turn while one of them drives it, only the futures and activities can be waited for.
func (s *Scope) Wait(ctx context.Context) error {
	mustContext(ctx)
	s.checked()
	if sched.Inside() {
		return refusalHere(errScopeInside, errActivityScope)
	}
	if s.rt.deterministic() {
		return s.outcome(s.rt.driveUntil(ctx, s.quiet))
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

// nextQuiet returns nil if nothing of the scope is open, or the waiters that are woken when that may be
// so, which the caller must leave; and a channel that is closed when the scope is canceled, unless end does it, which wakes the waiter.
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

// blameUnstarted notes that the scope was canceled before all of it was started, if that is so. Nothing of it runs.
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

// refusal returns the error of messages that are not started, nil if the scope was not canceled.
func (s *Scope) refusal() error {
	if !s.canceled() {
		return nil
	}
	e := s.refused.Load()
	if e == nil {
		s.refused.CompareAndSwap(nil, &CanceledError{Scope: s.Name(), Cause: context.Cause(s.ctx)})
		e = s.refused.Load()
	}
	return e
}

// linked returns the scope's context for those who want to know when it is done: which it is also at the end of the runtime. That is
// arranged for when it is asked for first: few scopes are asked, and the runtime keeps those that are until they are canceled.
func (s *Scope) linked() context.Context {
	s.withMore().linkOnce.Do(func() {
		stop := context.AfterFunc(s.rt.ctx, func() { s.end(ErrClosed) })
		context.AfterFunc(s.ctx, func() { stop() })
	})
	if s.rt.ctx.Err() != nil {
		s.end(ErrClosed) // not a moment later
	}
	return s.ctx
}

func (s *Scope) checked() *Scope {
	if s == nil || s.rt == nil {
		panic("freerun: a nil or zero Scope; make scopes with Runtime.Scope")
	}
	return s
}
