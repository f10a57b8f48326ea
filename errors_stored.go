package freerun

import "github.com/freerun-go/freerun/internal/errorcode"

// The names under which the named errors are stored: an error that was encoded, and is decoded by
// another process or by a later version of the program, still is the same one for [errors.Is]. A
// name is for good.
func init() {
	errorcode.Register("freerun.ErrCanceled", ErrCanceled)
	errorcode.Register("freerun.ErrClosed", ErrClosed)
	errorcode.Register("freerun.ErrCycle", ErrCycle)
	errorcode.Register("freerun.ErrDeclaredTwice", ErrDeclaredTwice)
	errorcode.Register("freerun.ErrForward", ErrForward)
	errorcode.Register("freerun.ErrFull", ErrFull)
	errorcode.Register("freerun.ErrGoexit", ErrGoexit)
	errorcode.Register("freerun.ErrInUse", ErrInUse)
	errorcode.Register("freerun.ErrNoFlight", ErrNoFlight)
	errorcode.Register("freerun.ErrNoFuture", ErrNoFuture)
	errorcode.Register("freerun.ErrOtherRuntime", ErrOtherRuntime)
	errorcode.Register("freerun.ErrSameUnit", ErrSameUnit)
	errorcode.Register("freerun.ErrStalled", ErrStalled)
	errorcode.Register("freerun.ErrStopped", ErrStopped)
	errorcode.Register("freerun.ErrTopicClosed", ErrTopicClosed)
	errorcode.Register("freerun.ErrTracing", ErrTracing)
	errorcode.Register("freerun.ErrWouldBlock", ErrWouldBlock)
}
