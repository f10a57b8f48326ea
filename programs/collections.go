package programs

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

// Collections measures Go's garbage collector over the measured part of a run: how often it ran,
// its CPU time, and its longest pause. [MeterCollections] makes one. One goroutine uses it.
type Collections struct {
	samples []metrics.Sample
	before  collected
}

// collected has the collector's figures since the process began.
type collected struct {
	cycles uint64
	cpu    float64  // seconds
	pauses []uint64 // the number of pauses of each length
}

const (
	cyclesMetric = "/gc/cycles/total:gc-cycles"
	cpuMetric    = "/cpu/classes/gc/total:cpu-seconds"
	pausesMetric = "/sched/pauses/total/gc:seconds"
)

// MeterCollections does what [StartMeter] does, and measures the collector from then on. The
// collection before the clock starts is not counted.
func MeterCollections() (Meter, *Collections) {
	c := &Collections{samples: []metrics.Sample{{Name: cyclesMetric}, {Name: cpuMetric}, {Name: pausesMetric}}}
	return startMeter(time.Now, func() { c.before = c.read() }), c
}

// read returns what the collector has done so far. Go counts the CPU time at the end of a
// collection.
func (c *Collections) read() collected {
	metrics.Read(c.samples)
	now := collected{cycles: c.samples[0].Value.Uint64(), cpu: c.samples[1].Value.Float64()}
	return collected{now.cycles, now.cpu, append([]uint64(nil), c.histogram().Counts...)}
}

// histogram returns the pauses of the last read.
func (c *Collections) histogram() *metrics.Float64Histogram {
	return c.samples[2].Value.Float64Histogram()
}

// Figures returns what the collector has done since the meter was started, for a result of that
// meter: the collections that ended; their CPU time, in µs and as a share of what all processors
// had; and the longest pause, in ns. runtime/metrics knows pauses within limits; the figure is the
// upper limit.
func (c *Collections) Figures(r Result) []Figure {
	after := c.read()
	cpu := max(0, after.cpu-c.before.cpu)
	share := 1000 * cpu / (max(r.Elapsed, 1).Seconds() * float64(runtime.GOMAXPROCS(0)))
	return []Figure{
		{Name: "collections", Doc: "collections by Go's collector", Value: after.cycles - c.before.cycles},
		{Name: "gc_cpu_us", Doc: "µs of CPU time that they took", Value: uint64(1e6 * cpu)},
		{Name: "gc_cpu_per_1000", Doc: "their share in 1000 of the processors' time", Value: uint64(math.Round(share))},
		{Name: "gc_pause_ns", Doc: "ns for which one stopped the program at most", Value: longest(c.before.pauses, after.pauses, c.histogram().Buckets)},
	}
}

// longest returns the upper limit, in ns, of the longest pause that after has more of than before,
// and 0 if there is none. buckets has one limit more than there are counts. The last limit may be
// infinite; then the limit below stands for it.
func longest(before, after []uint64, buckets []float64) uint64 {
	for i := len(after) - 1; i >= 0; i-- {
		if after[i] == before[i] {
			continue
		}
		limit := buckets[i+1]
		if math.IsInf(limit, 1) {
			limit = buckets[i]
		}
		return uint64(math.Ceil(limit * 1e9))
	}
	return 0
}
