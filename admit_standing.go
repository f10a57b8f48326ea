package freerun

import "github.com/freerun-go/freerun/internal/sched"

// standing is what the goroutine that sends is to the runtime that takes the message.
//
// A seat without a processor does not tell. An operation, a branch of a join and an activity send
// from outside when they have left their processor ([Context.Block]), and when they send through
// another context than their own; they stay what they are. Two rules depend on it:
//
//	                                     outsider  visitor  insider
//	a sender may be kept waiting         yes       no       no       tell_backpressure.go, unit_limit.go
//	a runtime that drains takes it       no        no       yes      refuses, admits, letterFromOutside
//
// The receiver may wait for an operation, so an operation is not kept waiting. What an insider sends
// follows from what was accepted: its own message is counted as sent, and not as done before it has
// ended, so a drain that takes its messages does not end before them.
//
// A goroutine that an operation has started is an outsider.
type standing uint8

const (
	outsider standing = iota // an ordinary goroutine
	visitor                  // inside a task of another runtime, or a coroutine that was made inside a task
	insider                  // inside a task of this runtime
)

// standing returns that of the calling goroutine, which sends from s. It costs a look into a map for
// who has no processor, so it is asked off the fast path only.
func (s *worker) standing() standing {
	if s.processor != nil {
		return insider
	}
	return s.rt.standing()
}

// standing returns that of the calling goroutine.
func (rt *Runtime) standing() standing {
	switch h := sched.CurrentHost(); {
	case h != nil && h.Scheduler() == rt.scheduler:
		return insider
	case sched.Inside():
		return visitor
	}
	return outsider
}
