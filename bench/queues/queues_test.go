package queues

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestVariants lets each variant carry items of each size in each shape that it supports. All items
// arrive, and none is torn.
func TestVariants(t *testing.T) {
	size := 3000
	for _, v := range Program.Variants {
		t.Run(v.Name, func(t *testing.T) {
			ran := false
			for _, point := range Program.Points {
				values, err := Program.Values(true, point)
				if err != nil {
					t.Fatal(err)
				}
				values[programs.Size] = size
				if v.Fits != nil && !v.Fits(values) {
					continue
				}
				ran = true
				r, err := Program.Run(v, programs.Config{Processors: 2, Values: values})
				if err != nil {
					t.Error(err)
				}
				if r.Operations != uint64(size) {
					t.Errorf("%v: %d operations, want %d", point, r.Operations, size)
				}
			}
			if !ran && (v.Name != "lscq" || hasLSCQ) {
				t.Error("the variant is for none of the shapes")
			}
		})
	}
}
