package gc

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// must returns the Type that [For] returned. It panics about an error.
func must[T any](t Type[T], err error) Type[T] {
	if err != nil {
		panic(err)
	}
	return t
}
