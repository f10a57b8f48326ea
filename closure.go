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
// that fn has captured. Use [Then] for those, or an operation with them in its argument. Two
// allocations, besides that of fn itself if it captures variables. It panics if c, u or fn is nil.
func Do[S, R any](c *Context, u *Unit[S], fn func(c *Context, s *S) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Do with a nil function")
	}
	o := closureOf[operation[func(*Context, *S) (R, error), R]](func(c *Context, to unsafe.Pointer, fn func(*Context, *S) (R, error)) (R, error) {
		c.function.Store(codeOf(fn))
		return fn(c, stateOf[S](to))
	})
	return o.send(c.checked(), u.checked(), fn)
}

// Go sends fn to no unit: fn runs on any processor, in parallel with all else. Otherwise Go is as
// [Do].
func Go[R any](c *Context, fn func(c *Context) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Go with a nil function")
	}
	o := closureOf[operation[func(*Context) (R, error), R]](func(c *Context, _ unsafe.Pointer, fn func(*Context) (R, error)) (R, error) {
		c.function.Store(codeOf(fn))
		return fn(c)
	})
	return o.send(c, &c.checked().rt.free, fn)
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
	o := closureOf[operation[thenArg[T, R], R]](func(c *Context, _ unsafe.Pointer, a thenArg[T, R]) (R, error) {
		c.function.Store(codeOf(a.fn))
		return a.fn(c, a.f.Value())
	})
	return o.send(c, &c.checked().rt.free, thenArg[T, R]{fn, f})
}

// Then2 is Then for two futures.
func Then2[T, U, R any](c *Context, f Future[T], g Future[U], fn func(c *Context, v T, w U) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: Then2 with a nil function")
	}
	if f.cell == nil || g.cell == nil {
		return Failed[R](ErrNoFuture)
	}
	o := closureOf[operation[then2Arg[T, U, R], R]](func(c *Context, _ unsafe.Pointer, a then2Arg[T, U, R]) (R, error) {
		c.function.Store(codeOf(a.fn))
		return a.fn(c, a.f.Value(), a.g.Value())
	})
	return o.send(c, &c.checked().rt.free, then2Arg[T, U, R]{fn, f, g})
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
	o := closureOf[operation[handleArg[T, R], R]](func(c *Context, _ unsafe.Pointer, a handleArg[T, R]) (R, error) {
		c.function.Store(codeOf(a.fn))
		v, err := a.f.Result()
		return a.fn(c, v, err)
	})
	return o.send(c, &c.checked().rt.free, handleArg[T, R]{fn, f})
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
// that type. The key is the reflect.Type of the operation, such as reading[A, R], the value a
// pointer to it.
var closures sync.Map

// closureForm is a pointer to an operation that can stand for closures: [operation], [reading] or
// [multiOperation].
type closureForm[O, A, R any] interface {
	*O
	calls(invoke func(*Context, unsafe.Pointer, A) (R, error)) (code func(*message) uintptr)
	complete(name string, code func(*message) uintptr)
}

// closureOf returns the O for closures that are sent as an A, whose first word is the function.
// invoke calls that. All calls for one O pass the same invoke, so the operation that was made first
// serves all.
func closureOf[O any, P closureForm[O, A, R], A, R any](invoke func(*Context, unsafe.Pointer, A) (R, error)) P {
	t := reflect.TypeFor[O]()
	if o, ok := closures.Load(t); ok {
		return o.(P)
	}
	o := P(new(O))
	o.complete("", o.calls(invoke))
	first, _ := closures.LoadOrStore(t, o)
	return first.(P)
}

// calls makes an operation one of closures, which invoke calls. code returns the function that a
// message of it runs.
func (o *operation[A, R]) calls(invoke func(*Context, unsafe.Pointer, A) (R, error)) (code func(*message) uintptr) {
	o.invoke = invoke
	return func(m *message) uintptr { return codeOf(sendMessageOf[A, R](m).arg) }
}

// codeOf returns the address of the code of a function: v is the function, or has it for its first
// word. It returns 0 for nil.
func codeOf[F any](v F) uintptr {
	if code := *(**uintptr)(unsafe.Pointer(&v)); code != nil {
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
