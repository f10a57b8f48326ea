//go:build explore

package queue

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestExploreLongVerbs calls every method of the queues whose calls take many steps beside others.
func TestExploreLongVerbs(t *testing.T) {
	unbounded, strict := unboundedMPMC, strictMPMC
	unbounded.Long, strict.Long = true, true
	t.Run("UnboundedMPMC", func(t *testing.T) { conformance.ExploreVerbs(t, unbounded) })
	t.Run("StrictMPMC", func(t *testing.T) { conformance.ExploreVerbs(t, strict) })
}
