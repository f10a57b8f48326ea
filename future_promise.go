package freerun

import (
	"runtime"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Promise is a future whose outcome comes from outside: from a callback, a goroutine, a reply that
// some connection reads, or an operation that runs much later. Make it with [NewPromise], pass its
// [Promise.Future] on like any other, and call [Promise.Resolve] when the outcome is there. An
// operation that starts something which takes long, and must not wait for it, returns [Forward] of
// such a future.
//
// Until it is resolved, a promise counts as a message that was sent and has not run: Wait of its
// scope waits for it, and so do [Runtime.Quiesce] and [Runtime.Shutdown]. A promise that nobody
// resolves keeps them waiting until their contexts are done, and its future open until the scope is
// canceled or the runtime ends. So whoever takes a promise over must resolve it on each of its
// ways, errors and panics included.
//
// Any goroutine may call the methods; none waits. A Promise must not be copied; the zero Promise is
// of no use.
type Promise[R any] struct {
	_        scan.Opaque
	message  sendMessage[maker, R]
	resolved atomics.Bool // one call of Resolve has taken it
	unwatch  func() bool  // ends the watch over the scope; nil without a scope
}

// maker is the place in a function that has made a promise, as runtime.Callers returns it: reports
// name the function.
type maker uintptr

// NewPromise returns a promise whose future belongs to c's scope. The future fails with
// [ErrCanceled] when the scope is canceled before it is resolved, and with [ErrClosed] when the
// runtime ends; if either was so before, it has failed already. Any goroutine may call NewPromise,
// operations too; it does not wait. One allocation, and some more in a scope, which has to find
// the promise when it is canceled. It panics if c is nil.
func NewPromise[R any](c *Context) *Promise[R] {
	p := &Promise[R]{}
	beginPromise(p, c, callerOf(2), nil)
	return p
}

// callerOf returns the place of a call: skip is 1 for that of the function which asks.
func callerOf(skip int) maker {
	var at [1]uintptr
	runtime.Callers(skip+1, at[:])
	return maker(at[0] - 1) // in the call, not after it
}

// beginPromise makes p a promise, which by has made. edge is a gate, or nil.
func beginPromise[R any](p *Promise[R], c *Context, by maker, edge *promise.Cell) {
	o := promiseOperation[R]()
	p.message.arg = by
	unwatch, made := o.core.makePromise(c, &p.message.result.promised, edge)
	p.unwatch = unwatch
	p.resolved.Store(!made)
}

// makePromise admits the message of a promise, whose edge is a gate, or nil. It returns what ends
// the watch over its scope; or false if the message was refused, and so has failed.
func (o *core) makePromise(c *Context, m *promised, edge *promise.Cell) (unwatch func() bool, made bool) {
	m.start(o, &c.checked().rt.free)
	w := c.here()
	if err := w.admits(c, m.unit, &m.message); err != nil {
		o.refuseSend(c, w, m, err)
		return nil, false
	}
	m.lead(edge, true)
	if x := c.Scope(); x != nil {
		unwatch = w.env.watchPromise(x, m)
	}
	return unwatch, true
}

// promiseOperation returns the operation to which promises of an R belong. It is never run: a
// promise is settled as an operation is that has returned.
func promiseOperation[R any]() *operation[maker, R] {
	if o := knownClosure[maker, R](&closures); o != nil {
		return o
	}
	o := &operation[maker, R]{}
	k := &o.core
	complete(o, "", func(m *message) uintptr { return *(*uintptr)(k.argOf(m)) })
	k.sent.outside = true
	k.sent.describe = func(m *message) string { return "NewPromise in " + functionName(k.sent.code(m)) }
	return keepFirst(&closures, o)
}

// Future returns the future of the promise, the same each time.
func (p *Promise[R]) Future() Future[R] { return Future[R]{cell: &p.checked().message.result} }

// Resolve gives the future its outcome, as if an operation had returned v and err: the error if
// there is one, and otherwise v. If v holds open futures, the future has its outcome when they
// have. Resolve reports whether it was this call that decided the outcome. If not, v is dropped:
// there was a call before, or the scope was canceled, or the runtime has ended.
//
// What waits for the future goes on at once; what was called when Resolve returns may still run.
// Any goroutine may call Resolve, operations too; it does not wait. It panics for a nil or zero
// Promise.
func (p *Promise[R]) Resolve(v R, err error) bool {
	m := &p.checked().message.result.promised
	if !p.resolved.CompareAndSwap(false, true) {
		return false
	}
	if p.unwatch != nil {
		p.unwatch()
	}
	return resolve(promiseOperation[R](), m, v, err)
}

func (p *Promise[R]) checked() *Promise[R] {
	if p == nil || p.message.result.promised.unit == nil {
		panic("freerun: a nil or zero Promise; make promises with NewPromise")
	}
	return p
}
