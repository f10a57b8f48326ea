package programs

import (
	"math"
	"runtime"
	"testing"
)

// numberOf returns a figure that is one whole number.
func numberOf(t *testing.T, figures []Figure, name string) uint64 {
	t.Helper()
	for _, f := range figures {
		if f.Name == name {
			return f.Value.(uint64)
		}
	}
	t.Fatalf("no figure %s among %v", name, figures)
	return 0
}

// TestCollectionsCount: the collections of the measured part count, the one before it does not.
func TestCollectionsCount(t *testing.T) {
	for _, forced := range []uint64{0, 3} {
		meter, collections := MeterCollections()
		for range forced {
			runtime.GC()
		}
		figures := collections.Figures(meter.Stop(1))
		if n := numberOf(t, figures, "collections"); n < forced || forced == 0 && n > 0 {
			t.Errorf("%d collections, %d were forced", n, forced)
		}
		pause, cpu := numberOf(t, figures, "gc_pause_ns"), numberOf(t, figures, "gc_cpu_us")
		if forced == 0 && (pause != 0 || cpu != 0) || forced > 0 && (pause == 0 || cpu == 0) {
			t.Errorf("%d collections took %d µs of CPU time, with pauses of %d ns at most", forced, cpu, pause)
		}
	}
}

// TestCollectionsShare holds that the share in the processors' time is at most all of it.
func TestCollectionsShare(t *testing.T) {
	meter, collections := MeterCollections()
	runtime.GC()
	if share := numberOf(t, collections.Figures(meter.Stop(1)), "gc_cpu_per_1000"); share > 1000 {
		t.Errorf("a share of %d in 1000", share)
	}
}

func TestLongestPause(t *testing.T) {
	buckets := []float64{0, 1e-6, 2e-6, math.Inf(1)}
	for _, c := range []struct {
		before, after []uint64
		want          uint64
	}{
		{[]uint64{1, 1, 1}, []uint64{1, 1, 1}, 0},
		{[]uint64{1, 1, 1}, []uint64{2, 1, 1}, 1000},
		{[]uint64{0, 0, 5}, []uint64{7, 1, 5}, 2000},
		{[]uint64{0, 0, 0}, []uint64{7, 1, 1}, 2000},
	} {
		if got := longest(c.before, c.after, buckets); got != c.want {
			t.Errorf("from %v to %v: %d ns, want %d", c.before, c.after, got, c.want)
		}
	}
}
