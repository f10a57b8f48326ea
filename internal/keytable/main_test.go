package keytable

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
