package hazard_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that the explorer calls every exported method.
func TestEveryVerbIsExplored(t *testing.T) {
	reuse := []string{"TestExploreReuse"}
	conformance.Explored(t, map[string][]string{
		"Domain": reuse, "Record": reuse, "Screen": reuse,
	})
}
