package pingpong

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, size := range []int{1, 2, 3, 1000} {
		for name, r := range programtest.Run(t, Program, programs.Values{programs.Size: size}) {
			if r.Operations != uint64(size) {
				t.Errorf("%s: %d operations, want %d", name, r.Operations, size)
			}
		}
	}
}
