package rivals

import (
	"math/rand/v2"
	"testing"

	"github.com/freerun-go/freerun/offheap/internal/buddy"
)

func BenchmarkBatches(b *testing.B) {
	s := buddy.New(1<<most, 5)
	fill(s, rand.New(rand.NewPCG(1, 1)), 50)
	r := rand.New(rand.NewPCG(1, 2))
	begin := spent()
	n := 0
	for b.Loop() {
		n += 640
		loads[2].run(s, 0, 640, r, nil)
	}
	b.ReportMetric(float64(spent()-begin)/float64(n), "cpu-ns/pair")
}
