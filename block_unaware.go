package freerun

import (
	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
)

// In a program of `freerun build` activities may yield while they hold a lock of package sync, or
// have a connection of a pool. So an operation that waits for one must not keep the processor which
// they need: it gives it away, as in Block. Package activity finds out that it may.

func init() {
	activityhost.Operations.Leave = leaveUnaware
	activityhost.Operations.Back = backUnaware
}

// leaveUnaware takes the operation that runs on p off it.
func leaveUnaware(p *sched.Processor) {
	w := workerOf(p)
	w.active.Load().leave(w)
}

// backUnaware follows the wait of an operation that has left its processor.
func backUnaware(h *sched.Host) {
	if c := hostStateOf(h).away.Load(); c != nil && c.seen != 0 {
		c.traceBack()
	}
}
