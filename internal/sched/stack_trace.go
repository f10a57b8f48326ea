package sched

import (
	"bytes"
	"runtime"
	"strconv"
)

const (
	firstTrace   = 1 << 16
	longestTrace = 1 << 26
)

// goroutineNumber returns the number of the running goroutine, as stack traces print it.
func goroutineNumber() uint64 {
	var trace [64]byte
	text, _ := bytes.CutPrefix(trace[:runtime.Stack(trace[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(text, []byte(" "))
	// n is 0, which no goroutine has, if Go ever changes the heading.
	n, _ := strconv.ParseUint(string(number), 10, 64)
	return n
}

// Stack returns the current stack of the goroutine that runs the task, with all frames of the
// task, in the form of a panic's trace; nil if the goroutine has ended, or is no host's. Go offers
// no way but to write the stacks of all goroutines, and stops them all for it: use it for reports,
// not for measurements. Any goroutine except the task's own.
func (k Stuck) Stack() []byte {
	if k.Host == nil {
		return nil
	}
	if co := k.Host.base.running.Load(); co != nil {
		return co.Trace()
	}
	return stackOf(k.Host.trace.Load())
}

func stackOf(number uint64) []byte {
	heading := []byte("goroutine " + strconv.FormatUint(number, 10) + " ")
	return traceOf(func(trace []byte) bool { return bytes.HasPrefix(trace, heading) })
}

// traceOf returns the stack trace for which right returns true, nil if there is none.
func traceOf(right func(trace []byte) bool) []byte {
	trace := make([]byte, firstTrace)
	for {
		n := runtime.Stack(trace, true)
		if n < len(trace) || len(trace) >= longestTrace {
			return find(trace[:n], right)
		}
		trace = make([]byte, 2*len(trace))
	}
}

// find returns the stack that right accepts from a trace of all goroutines, in which an empty line
// separates the stacks.
func find(trace []byte, right func([]byte) bool) []byte {
	for len(trace) > 0 {
		stack, rest, _ := bytes.Cut(trace, []byte("\n\n"))
		if right(stack) {
			return bytes.Clone(stack)
		}
		trace = rest
	}
	return nil
}
