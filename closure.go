package freerun

import (
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// Do sends fn to u, and returns the future of its result at once. fn runs with the unit's state to
// itself, to its end, and must not wait. Do is [Operation.Send] for a function that has no name,
// with the same errors. The runtime cannot look into a function: it does not wait for the futures
// that fn has captured. Use [Then] for those, or an operation with them in its argument. One
// allocation, and one for fn itself if it captures variables. It panics if c, u or fn is nil.
func Do[S, R any](c *Context, u *Unit[S], fn func(c *Context, s *S) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Do with a nil function")
	}
	o := knownClosure[func(*Context, *S) (R, error), R](&closures)
	if o == nil {
		o = closureOf(&closures, complete, func(c *Context, to unsafe.Pointer, fn func(*Context, *S) (R, error)) (R, error) {
			c.function.Store(codeOf(fn))
			return fn(c, stateOf[S](to))
		})
	}
	return sendTo(o, c.checked(), u.checked(), fn)
}

// Go sends fn to no unit: fn runs on any processor, in parallel with all else. Otherwise Go is as
// [Do].
func Go[R any](c *Context, fn func(c *Context) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Go with a nil function")
	}
	return sendTo(goOperation[R](), c, &c.checked().rt.free, fn)
}

// goOperation returns the operation of the functions of Go.
func goOperation[R any]() *operation[func(*Context) (R, error), R] {
	o := knownClosure[func(*Context) (R, error), R](&closures)
	if o == nil {
		o = closureOf(&closures, complete, func(c *Context, _ unsafe.Pointer, fn func(*Context) (R, error)) (R, error) {
			c.function.Store(codeOf(fn))
			return fn(c)
		})
	}
	return o
}

// Then runs fn, on any processor, with the result of f once there is one, and returns the future of
// what fn returns. If f fails, fn is not run and the future fails with an [ArgumentError]; see
// [Handle]. It panics if c or fn is nil.
func Then[T, R any](c *Context, f Future[T], fn func(c *Context, v T) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Then with a nil function")
	}
	if f.cell == nil {
		return Failed[R](ErrNoFuture)
	}
	o := knownClosure[thenArg[T, R], R](&closures)
	if o == nil {
		o = closureOf(&closures, complete, func(c *Context, _ unsafe.Pointer, a thenArg[T, R]) (R, error) {
			c.function.Store(codeOf(a.fn))
			return a.fn(c, a.f.Value())
		})
	}
	return sendTo(o, c, &c.checked().rt.free, thenArg[T, R]{fn, f})
}

// Then2 is Then for two futures.
func Then2[T, U, R any](c *Context, f Future[T], g Future[U], fn func(c *Context, v T, w U) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Then2 with a nil function")
	}
	if f.cell == nil || g.cell == nil {
		return Failed[R](ErrNoFuture)
	}
	o := knownClosure[then2Arg[T, U, R], R](&closures)
	if o == nil {
		o = closureOf(&closures, complete, func(c *Context, _ unsafe.Pointer, a then2Arg[T, U, R]) (R, error) {
			c.function.Store(codeOf(a.fn))
			return a.fn(c, a.f.Value(), a.g.Value())
		})
	}
	return sendTo(o, c, &c.checked().rt.free, then2Arg[T, U, R]{fn, f, g})
}

// Handle runs fn, on any processor, with the outcome of f, result or error, once there is one, and
// returns the future of what fn returns. It is how a failure is handled inside the runtime, where a
// failed future otherwise fails all that receive it. It panics if c or fn is nil.
func Handle[T, R any](c *Context, f Future[T], fn func(c *Context, v T, err error) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Handle with a nil function")
	}
	if f.cell == nil {
		return Failed[R](ErrNoFuture)
	}
	o := knownClosure[handleArg[T, R], R](&closures)
	if o == nil {
		o = closureOf(&closures, complete, func(c *Context, _ unsafe.Pointer, a handleArg[T, R]) (R, error) {
			c.function.Store(codeOf(a.fn))
			v, err := a.f.Result()
			return a.fn(c, v, err)
		})
	}
	return sendTo(o, c, &c.checked().rt.free, handleArg[T, R]{fn, f})
}

type handleArg[T, R any] struct {
	fn func(*Context, T, error) (R, error)
	f  Future[T]
}

func (handleArg[T, R]) tolerates() {}

type thenArg[T, R any] struct {
	fn func(*Context, T) (R, error)
	f  Future[T]
}

type then2Arg[T, U, R any] struct {
	fn func(*Context, T, U) (R, error)
	f  Future[T]
	g  Future[U]
}

// closures has one operation for each type of closure: the operation is shared by all functions of
// that type. The key is the reflect.Type of the operation, the value a pointer to it. Those of the
// closures that only look at a unit, and of those on several units, are in maps of their own: a
// [Read] and a [Do] have the same types.
var closures, readClosures, severalClosures sync.Map

// knownClosure returns the operation for closures that are sent as an A, nil if none was sent yet.
// It comes first, in a function of its own: a caller makes the function that it passes to closureOf
// on the heap.
func knownClosure[A, R any](in *sync.Map) *operation[A, R] {
	o, _ := in.Load(reflect.TypeFor[operation[A, R]]())
	known, _ := o.(*operation[A, R])
	return known
}

// closureOf makes the operation for closures that are sent as an A, whose first word is the
// function. invoke calls that. All calls for one operation pass the same complete and the same
// invoke, so the operation that was made first serves all.
func closureOf[A, R any](in *sync.Map, complete completion[A, R], invoke func(*Context, unsafe.Pointer, A) (R, error)) *operation[A, R] {
	o := &operation[A, R]{invoke: invoke}
	complete(o, "", func(m *message) uintptr { return codeAt(o.core.argOf(m)) })
	return keepFirst(in, o)
}

// completion completes an operation of some form: complete, completeReading or completeSeveral.
type completion[A, R any] = func(o *operation[A, R], name string, code func(*message) uintptr)

// keepFirst keeps o in a map of operations. It returns the one that was kept first.
func keepFirst[A, R any](in *sync.Map, o *operation[A, R]) *operation[A, R] {
	first, _ := in.LoadOrStore(reflect.TypeFor[operation[A, R]](), o)
	return first.(*operation[A, R])
}

// codeOf returns the address of the code of a function: v is the function, or has it for its first
// word. It returns 0 for nil.
func codeOf[F any](v F) uintptr { return codeAt(unsafe.Pointer(&v)) }

// codeAt is codeOf for the value at p.
func codeAt(p unsafe.Pointer) uintptr {
	if code := *(**uintptr)(p); code != nil {
		return *code
	}
	return 0
}

func functionName(code uintptr) string {
	if f := runtime.FuncForPC(code); f != nil {
		return f.Name()
	}
	return "a closure"
}
