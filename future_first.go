package freerun

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// First returns a future with the outcome of the one of futures that has an outcome first, a result
// or a failure; if several have one, with that of any of them. The others go on: to end them, send
// them in a [Scope], and cancel that. A zero Future among them has failed with [ErrNoFuture].
//
// The future belongs to c's scope: it fails with [ErrCanceled] when that is canceled before. Any
// goroutine may call First, operations too; it does not wait. It costs a [Promise], a message as
// that of [Go], and one as that of [Handle] for each future. It panics if c is nil, or without a
// future.
func First[R any](c *Context, futures ...Future[R]) Future[R] {
	if len(futures) == 0 {
		panic("freerun: First of no futures")
	}
	return promiseOf(c, callerOf(2), func(c *Context, p *Promise[R]) {
		for _, f := range futures {
			follow(c, f, p, func() {})
		}
	})
}

// Within returns a future with the outcome of f if f has one before d has passed. Otherwise the
// future fails with an error that wraps [context.DeadlineExceeded]. What f stands for goes on: to
// end it, send it in a [Scope], and cancel that.
//
// The future belongs to c's scope, as that of [First]. The time ends with f's outcome, so neither
// [Scope.Wait] nor [Runtime.Quiesce] waits for more than that. While the runtime is shut down there
// are no timers, and so no limit but that of [Runtime.Shutdown]. In an operation of a durable unit
// the time begins when its write is done. Any goroutine may call Within, operations too; it does
// not wait. It costs what First does, and a [Timer]. It panics if c is nil.
func Within[R any](c *Context, f Future[R], d time.Duration) Future[R] {
	return promiseOf(c, callerOf(2), func(c *Context, p *Promise[R]) {
		_, timer := sendAfter(goOperation[bool](), c, d, &c.rt.free, func(*Context) (bool, error) {
			var none R
			return p.Resolve(none, fmt.Errorf("freerun: no outcome within %v: %w", d, context.DeadlineExceeded)), nil
		})
		follow(c, f, p, func() { timer.Stop() })
	})
}

// promiseOf returns the future of a promise, and has begin see to it that it is resolved. That is a
// message of its own: an operation that is undone has made no promise which nobody resolves.
func promiseOf[R any](c *Context, by maker, begin func(c *Context, p *Promise[R])) Future[R] {
	return Go(c, func(c *Context) (R, error) {
		p := &Promise[R]{}
		beginPromise(p, c, by, nil)
		begin(c, p)
		return Forward(c, p.Future())
	})
}

// follow resolves p with the outcome of f, if nothing has before, and calls ended. If no message
// can wait for f, p fails with the reason.
func follow[R any](c *Context, f Future[R], p *Promise[R], ended func()) {
	waits := Handle(c, f, func(_ *Context, v R, err error) (bool, error) {
		first := p.Resolve(v, err)
		ended()
		return first, nil
	})
	if _, err := waits.Result(); err != nil && !errors.Is(err, ErrWouldBlock) {
		var none R
		p.Resolve(none, err)
		ended()
	}
}
