package queues

import (
	"slices"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/queues"
)

// Program is the program queues. The rivals are among its variants where they build.
var Program = withRivals(queues.Program)

// lscqDoc describes lscq in any build: the help of one build tells what rows of another mean.
const lscqDoc = "gopkg's lscq, unbounded; holds pointers and uint64 only (amd64 and arm64, not under the race detector)"

// withRivals returns a copy of a program with more variants.
func withRivals(p *programs.Program) *programs.Program {
	wider := *p
	wider.Variants = slices.Concat(p.Variants, []programs.Variant{
		queues.Variant("xsync-spsc", programs.Rival, "xsync.SPSCQueue", queues.Single,
			queues.NonBlocking(xsync.NewSPSCQueue[queues.Narrow]), queues.NonBlocking(xsync.NewSPSCQueue[queues.Wide])),
		queues.Variant("xsync-mpmc", programs.Rival, "xsync.MPMCQueue", queues.Always,
			queues.NonBlocking(xsync.NewMPMCQueue[queues.Narrow]), queues.NonBlocking(xsync.NewMPMCQueue[queues.Wide])),
	}, lscqVariants)
	return &wider
}
