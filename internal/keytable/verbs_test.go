package keytable

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method of a table stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	conformance.Explored(t, map[string][]string{
		"Table": {"TestExploreTable", "TestExploreTableAll", "TestExploreTableRandom"},
	})
}
