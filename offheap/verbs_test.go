package offheap_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that the explorer calls every exported method.
func TestEveryVerbIsExplored(t *testing.T) {
	conformance.Explored(t, map[string][]string{
		"Arena": {"TestExploreAlloc", "TestExploreResize", "TestExploreTrim", "TestExploreFigures"},
		"View":  {"TestExploreViews"},
	})
}
