package freerun

import (
	"log/slog"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// What is done about operations that call runtime.LockOSThread and return without UnlockOSThread: internal/sched/locked.go.

// leftLocked is called on h's goroutine, or on an activity's in its place, when an operation, a branch or an activity has ended and left that goroutine locked.
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

// branchLeftLocked is called when a branch that an operation ran while it waited in a join has left the goroutine locked. The operation goes on there: on a host, which is
// left when the operation has ended; what is switched is unlocked at once.
func (c *Context) branchLeftLocked() {
	s := c.worker.Load()
	s.rt.reportLocked(c.lastOperation()) // which has forked the branch
	if sched.CurrentCoroutine() != nil || s.driven {
		threadlock.Release()
	} else if h := sched.CurrentHost(); h != nil {
		h.NoteReported()
	}
}
