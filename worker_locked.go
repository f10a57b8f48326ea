package freerun

import (
	"log/slog"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// An operation, branch or activity that calls runtime.LockOSThread and ends without UnlockOSThread
// leaves its goroutine locked to the thread. internal/sched/locked.go leaves or unlocks such
// goroutines; this file reports the operation.

// leftLocked is called when an operation, a branch or an activity has ended and left its goroutine
// locked. It is called on that goroutine: h's, or that of an activity that runs in h's place.
func leftLocked(h *sched.Host) {
	c := contextOf(h, h.Processor())
	if c == nil {
		return
	}
	c.rt.reportLocked(c.lastOperation())
}

func (rt *Runtime) reportLocked(operation string) {
	rt.log(slog.LevelError, "operation left its goroutine locked to a thread", "operation", operation, "cure", "call runtime.UnlockOSThread as often as LockOSThread")
}

// branchLeftLocked is called when an operation has run a branch while it waited in a join, and the
// branch has left the goroutine locked. The operation goes on there. A host is left when the
// operation has ended. A coroutine, and the goroutine of a deterministic runtime, is unlocked at
// once.
func (c *Context) branchLeftLocked() {
	w := c.worker.Load()
	w.rt.reportLocked(c.lastOperation()) // the operation that has forked the branch
	if sched.CurrentCoroutine() != nil {
		threadlock.Release()
	} else if h := sched.CurrentHost(); h != nil {
		h.NoteReported()
	}
}
