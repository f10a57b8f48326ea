package queue

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

func newUnboundedMPMC[T any](int) conformance.Total[T] { return new(UnboundedMPMC[T]) }

// unboundedMPMC has the promises of UnboundedMPMC. Most of its tests are in internal/michaelscott.
var unboundedMPMC = conformance.QueueSpec{
	New: newUnboundedMPMC[int], NewWide: newUnboundedMPMC[conformance.Wide], NewBoxed: newUnboundedMPMC[*conformance.Box],
}

func TestUnboundedMPMC(t *testing.T) { conformance.Queue(t, unboundedMPMC) }
