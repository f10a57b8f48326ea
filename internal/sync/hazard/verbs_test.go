package hazard_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	reuse := []string{"TestExploreReuse"}
	conformance.Explored(t, map[string][]string{
		"Domain": reuse, "Record": reuse, "Screen": reuse,
	})
}
