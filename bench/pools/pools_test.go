package pools

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

// TestMain fails if the tests leave a goroutine behind. The goroutines of the pool that ants makes
// when it is imported do not count.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// TestVariants lets the rivals run tasks: all of them run.
func TestVariants(t *testing.T) {
	for _, size := range []int{1, 2, 5000} {
		programtest.Run(t, Program, programs.Values{programs.Size: size})
	}
}
