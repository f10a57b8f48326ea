package partition

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkOwners finds the owners of all partitions anew, as a machine does when another one has
// come or gone.
func BenchmarkOwners(b *testing.B) {
	for _, size := range []struct{ machines, partitions int }{{10, 64}, {100, 512}, {1000, 4096}} {
		var m Members
		now := time.Now()
		for i := range size.machines {
			m.Beat(fmt.Sprintf("%024x", i*7919), nil, now)
		}
		b.Run(fmt.Sprintf("machines=%d/partitions=%d", size.machines, size.partitions), func(b *testing.B) {
			for b.Loop() {
				m.View(size.partitions, now, nil)
			}
		})
	}
}
