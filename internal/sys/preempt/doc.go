// Package preempt has goroutines preempted that have run for about a millisecond, in the middle of
// whatever code: in programs that `freerun build` has compiled, with a runtime of Go in which some
// functions are others (cmd/freerun/internal/goruntime). In other programs nothing is preempted but
// by Go itself.
//
// A goroutine says whose it is, by [Bind]. When it is preempted it is parked, and its stand-in, a
// goroutine that is made for that, calls one of the [Actions]. So it is when the goroutine has been
// in a system call for a while, and when it has returned from there.
package preempt
