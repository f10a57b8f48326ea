package gc

import "testing"

// TestSweepEnds: the numbers of a full directory are given out once in each cycle.
func TestSweepEnds(t *testing.T) {
	h := new(Heap)
	for k := uint64(1); k <= 2; k++ {
		for _, count := range []int{mostChunks - 1, mostChunks} {
			h.sweeps.Store(k<<chunkBits | uint64(count-1))
			if next, ok := h.nextSweep(k, count); next != count-1 || !ok {
				t.Errorf("cycle %d, the last of %d chunks: %d, %v", k, count, next, ok)
			}
			if next, ok := h.nextSweep(k, count); ok {
				t.Errorf("cycle %d, after the last of %d chunks: %d", k, count, next)
			}
		}
		if next, ok := h.nextSweep(k+1, mostChunks); next != 0 || !ok {
			t.Errorf("the next cycle begins at %d, %v", next, ok)
		}
	}
}
