package activity

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/preempt"
)

// Sketch:     an activity in a system call, or in C, cannot tell that it blocks; in a program of
//             `freerun build` Go's monitor sees that it has been there for a while, and another
//             goroutine gives its processor away for it, as Block does
//             when the call has returned, a stand-in waits for a processor in the place of the
//             activity's goroutine, which goes on then
// Invariants: C1 Where the activity may give its processor away it does so, but for the first
//             millisecond or two of a call: as where it blocks unaware (U2 of unaware.go).
//             C2 Nothing of the user's runs on the goroutine before it has a processor again, but
//             callbacks from C: these run without one, as in Block.
//             C3 While others act for the activity, its goroutine does not go on.
//             C4 The activity does not end there (M1 of midway.go): it may hold a lock.
// Checked by: of package main TestSystemCalls

// leaveInCall gives the processor of an activity away whose goroutine g is in a call, a
// coroutine's, and reports whether it has.
func leaveInCall(owner unsafe.Pointer, g preempt.Goroutine) (left bool) {
	co := (*sched.Coroutine)(owner)
	st, ok := co.Local.(*stack)
	if !ok {
		return false
	}
	p := co.Processor()
	if p == nil || p.Driven() || !runsUser(performs, g.Callers) {
		return false
	}
	co.StandIn(func() { st.depart(p) })
	return true
}

// returnFromCall returns when an activity has a processor again whose goroutine has returned from a
// call. It runs on the stand-in.
func returnFromCall(owner unsafe.Pointer) {
	co := (*sched.Coroutine)(owner)
	st := co.Local.(*stack)
	if co.Processor() == nil { // otherwise a callback has waited, which gave it one
		co.StandIn(st.rejoinMidway)
	}
}
