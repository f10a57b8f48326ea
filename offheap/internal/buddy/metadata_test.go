package buddy

import "testing"

// footprint returns the bytes of a space's own state, but for that of each processor.
func footprint(s *Space) (bytes uint64) {
	for i := range s.levels {
		bytes += uint64(len(s.levels[i].words)) * 8
		for _, l := range s.levels[i].listed {
			for _, row := range l.rows {
				bytes += uint64(len(row)) * 8
			}
		}
	}
	return bytes
}

// TestMetadata holds how much memory the state of a space may take.
func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		size    uint64
		least   uint
		percent float64
	}{{1 << 20, 5, 4}, {1 << 30, 5, 1}, {3 << 30, 5, 1}, {1 << 30, 12, 0.1}, {64 << 30, 12, 0.01}} {
		got := float64(footprint(New(c.size, c.least))) / float64(c.size) * 100
		if got > c.percent {
			t.Errorf("%d bytes with blocks of 1<<%d and more: the state takes %.3f %% of that, more than %v %%", c.size, c.least, got, c.percent)
		}
		t.Logf("%d bytes with blocks of 1<<%d and more: %.4f %%", c.size, c.least, got)
	}
}
