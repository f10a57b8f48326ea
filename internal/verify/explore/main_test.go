package explore

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine, or a coroutine, behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
