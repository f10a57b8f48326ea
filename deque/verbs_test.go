package deque_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that the explorer calls every exported method.
func TestEveryVerbIsExplored(t *testing.T) {
	conformance.Explored(t, map[string][]string{
		"Growable": {"TestExploreGrowable"}, "GrowableThief": {"TestExploreGrowable"},
		"Bounded": {"TestExploreBounded"}, "BoundedThief": {"TestExploreBounded"},
		"Hybrid": {"TestExploreHybrid"}, "HybridThief": {"TestExploreHybrid"},
	})
}
