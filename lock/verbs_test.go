package lock_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	locks := []string{"TestExploreLockTwo", "TestExploreTryLock", "TestExploreLeave"}
	conformance.Explored(t, map[string][]string{
		"Anderson": locks, "Backoff": locks, "CLH": locks, "FIFO": locks, "MCS": locks,
	})
}
