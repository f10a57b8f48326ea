package freerun

import "github.com/freerun-go/freerun/internal/sched"

// standing says what the sending goroutine is to the runtime that takes the message.
//
// A worker without a processor does not tell. An operation, a branch of a join and an activity send
// from outside when they have left their processor ([Context.Block]), and when they send through a
// context that is not their own. Their standing does not change by that. Two rules depend on it:
//
//	                              outsider  visitor  insider
//	a sender may be kept waiting  yes       no       no       reuse.go, unit_limit.go
//	a drain takes what is sent    no        no       yes      worker.go, admit.go, reuse.go
//
// The receiver may wait for an operation, so an operation is not kept waiting.
//
// A drain takes what an insider sends, because that follows from what was accepted. The insider's
// own message is counted as sent, and is not counted as done before it has ended. So the drain does
// not end before the messages that it takes from insiders.
//
// A goroutine that an operation has started is an outsider.
type standing uint8

const (
	outsider standing = iota // an ordinary goroutine
	visitor                  // in a task of another runtime, or a coroutine that a task has made
	insider                  // in a task of this runtime
)

// standing returns the standing of the calling goroutine, which sends from w. Without a processor
// it costs a look into a map, so it is asked off the fast path only.
func (w *worker) standing() standing {
	if w.processor != nil {
		return insider
	}
	return w.rt.standing()
}

// standing returns the standing of the calling goroutine.
func (rt *Runtime) standing() standing {
	switch h := sched.CurrentHost(); {
	case h != nil && h.Scheduler() == rt.scheduler:
		return insider
	case sched.Inside():
		return visitor
	}
	return outsider
}
