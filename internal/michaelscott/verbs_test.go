package michaelscott_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method of a queue stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	long := []string{"TestExploreLongVerbs"}
	conformance.Explored(t, map[string][]string{"UnboundedMPMC": long, "IntrusiveMPMC": long})
}
