package gc_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	conformance.Explored(t, map[string][]string{
		"Type": {"TestExploreCollector"}, "Pointer": {"TestExploreCollector"}, "Root": {"TestExploreCollector"}, "Heap": {"TestExploreCollector"},
	})
}
