package offheap_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that the explorer calls every exported method.
func TestEveryVerbIsExplored(t *testing.T) {
	figures, views := []string{"TestExploreFigures"}, []string{"TestExploreViews"}
	conformance.Explored(t, map[string][]string{
		"Arena": {"TestExploreAlloc", "TestExploreResize", "TestExploreTrim", "TestExploreFigures"},
		"Usage": figures, "Stats": figures, "View": views, "Ref": views,
	})
}
