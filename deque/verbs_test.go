package deque_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	conformance.Explored(t, map[string][]string{
		"Growable": {"TestExploreGrowable"}, "GrowableThief": {"TestExploreGrowable"},
		"Bounded": {"TestExploreBounded"}, "BoundedThief": {"TestExploreBounded"},
		"Hybrid": {"TestExploreHybrid"}, "HybridThief": {"TestExploreHybrid"},
	})
}
