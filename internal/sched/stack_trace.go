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

// goroutineNumber returns the number by which traces call the running goroutine.
func goroutineNumber() uint64 {
	var trace [64]byte
	text, _ := bytes.CutPrefix(trace[:runtime.Stack(trace[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(text, []byte(" "))
	n, _ := strconv.ParseUint(string(number), 10, 64) // 0, which no goroutine has, if Go should ever write it differently
	return n
}

// Stack returns the stack of the goroutine that ran the task, as it is now, with all frames that the task is in, in the form of a panic's
// trace; nil if the goroutine has ended. Go offers no other way than to write down the stacks of all goroutines, for which it
// stops all of them: this is for reports, not for measurements. Any goroutine but that one.
func (k Stuck) Stack() []byte {
	if co := k.Host.base.running.Load(); co != nil {
		return co.Trace()
	}
	return stackOf(k.Host.trace.Load())
}

func stackOf(number uint64) []byte {
	heading := []byte("goroutine " + strconv.FormatUint(number, 10) + " ")
	return traceOf(func(trace []byte) bool { return bytes.HasPrefix(trace, heading) })
}

// traceOf returns the trace of a goroutine that is the right one.
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

// find returns the stack of the right goroutine from a trace of many, with an empty line between any two.
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
