package simulate

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

const (
	collectorCycles = 8 // enough of them
	collectorRuns   = 40
	collectorTime   = time.Second / 2
)

// collected holds the collector's counters at one instant, or their growth since another one.
type collected struct {
	bytes, cycles, forced, marking float64
	// stopped has the time of each cycle's stops, of 256 cycles at most, the latest first.
	stopped []float64
}

func readCollected() collected {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
	}
	metrics.Read(samples)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	var stopped []float64
	for i := range min(memory.NumGC, uint32(len(memory.PauseNs))) {
		stopped = append(stopped, float64(memory.PauseNs[(memory.NumGC-1-i)%uint32(len(memory.PauseNs))]))
	}
	return collected{
		bytes:   float64(samples[0].Value.Uint64()),
		cycles:  float64(memory.NumGC),
		forced:  float64(memory.NumForcedGC),
		marking: 1e9 * (samples[1].Value.Float64() + samples[2].Value.Float64()),
		stopped: stopped,
	}
}

// room returns how many bytes can be allocated from the end of the last cycle to the goal of the
// next one.
func room() float64 {
	samples := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return float64(samples[0].Value.Uint64()) - float64(samples[1].Value.Uint64())
}

// collecting runs the program until the collector has run some cycles, and returns what it did in
// how many operations and what time.
func collecting(p program, processors int) (did collected, operations float64, took time.Duration, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	runtime.GC()
	before, start := readCollected(), time.Now()
	for run := 0; run < collectorRuns && took < collectorTime && did.cycles < collectorCycles; run++ {
		h := &Host{processors: processors}
		if _, err := h.run(p); err != nil {
			return did, 0, 0, err
		}
		if h.rt != nil {
			operations += float64(h.rt.Stats().Done)
		}
		after := readCollected()
		did = collected{
			after.bytes - before.bytes, after.cycles - before.cycles, after.forced - before.forced,
			after.marking - before.marking, nil,
		}
		did.stopped = after.stopped[:min(len(after.stopped), int(did.cycles))]
		took = time.Since(start)
	}
	return did, operations, took, nil
}

// measureCollector sets the costs of the collector. A cycle that the program forces between its
// runs takes what others take, but is no part of the program's time.
func (c *Costs) measureCollector(p program) error {
	did, operations, took, err := collecting(p, 1)
	if err != nil || did.cycles == 0 || operations == 0 {
		return err
	}
	cycle := room()
	if cycle <= 0 {
		return nil
	}
	own := (did.cycles - did.forced) / did.cycles
	stop := quantile(did.stopped, 1, 4)
	x := &c.Collector
	x.Bytes = did.bytes / operations
	x.PerByte = did.marking / did.cycles / cycle
	x.Cycle, x.Stop = cycle, stop
	x.Share = math.Min(0.9, own*(did.marking+stop*did.cycles)/float64(took))
	if runtime.NumCPU() > 1 {
		both, _, _, err := collecting(p, 2)
		if err != nil {
			return err
		}
		if both.cycles > 0 {
			x.Stop = quantile(both.stopped, 1, 4)
		}
	}
	return nil
}
