//go:build !gc || !(amd64 || arm64) || freerun_portable || go1.27

package goid

import (
	"runtime"
	"sync"
)

// Way is a text for reports: how this build finds the identity.
const Way = "the number in the first line of a stack trace"

// WalksStack reports whether ID takes longer on a deep stack than on a short one.
const WalksStack = true

// heading begins a stack trace; the number of the goroutine follows.
const heading = "goroutine "

// room has space for the heading and every uint64.
const room = len(heading) + 20

// traces keeps buffers between calls: runtime.Stack makes a buffer escape, so each call would
// allocate.
var traces = sync.Pool{New: func() any { return new([room]byte) }}

// ID returns the identity of the running goroutine: never 0, the same for as long as the goroutine
// lives, and different from that of every other goroutine alive at the same time. Any goroutine may
// call it; it never waits, and in steady state it allocates nothing. It costs about two
// microseconds, and a tenth of one more for each frame of the stack: Go walks all of them. Where a
// uintptr has 32 bits, two goroutines share an identity if the second was started 4,294,967,295
// goroutines after the first.
func ID() uintptr {
	trace := traces.Get().(*[room]byte)
	id := parse(trace[:runtime.Stack(trace[:], false)])
	traces.Put(trace)
	return id
}

// parse returns the identity for the goroutine's number in the first line of a stack trace. It
// panics if there is no number: a wrong identity would break exclusion silently.
func parse(trace []byte) uintptr {
	if len(trace) <= len(heading) || string(trace[:len(heading)]) != heading {
		panic("goid: a stack trace does not begin with the goroutine's number")
	}
	var number uint64
	digits := 0
	for _, b := range trace[len(heading):] {
		if b < '0' || b > '9' {
			break
		}
		number = number*10 + uint64(b-'0')
		digits++
	}
	if digits == 0 || number == 0 {
		panic("goid: a stack trace does not begin with the goroutine's number")
	}
	// The remainder lies between 1 and the greatest uintptr: never 0, and numbers that fit stand
	// for themselves.
	return uintptr((number-1)%uint64(^uintptr(0))) + 1
}
