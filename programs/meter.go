package programs

import (
	"runtime"
	"time"
)

// Meter measures the part of a run that counts. One goroutine starts and stops it.
type Meter struct {
	allocs uint64
	cpu    time.Duration
	now    func() time.Time
	start  time.Time
}

// StartMeter collects garbage, so that no run pays for what an earlier one or the set-up left behind, then reads the
// allocation counter and the CPU time and starts the clock, in this order.
func StartMeter() Meter { return startMeter(time.Now, nil) }

// startMeter does what StartMeter does, by the clock now, and calls ahead, if there is one, between the collection and the rest.
func startMeter(now func() time.Time, ahead func()) Meter {
	runtime.GC()
	if ahead != nil {
		ahead()
	}
	m := Meter{allocs: mallocs(), now: now}
	m.cpu, _ = cpuTime()
	m.start = now()
	return m
}

// Stop stops the clock and fills the measured fields of a result for that many operations.
func (m Meter) Stop(operations uint64) Result {
	return m.StopAt(m.now(), operations)
}

// StopAt does what [Meter.Stop] does for a measured part that ended at an earlier instant, which whoever did the last
// operation noted: waking the goroutine that waits for the end is not a part of the program. The CPU time is that up to now.
func (m Meter) StopAt(end time.Time, operations uint64) Result {
	r := Result{Operations: operations, Elapsed: end.Sub(m.start)}
	if now, known := cpuTime(); known {
		r.CPU = max(1, now-m.cpu) // a clock may be too coarse to see a short run, which used some all the same
	}
	r.Allocs = mallocs() - m.allocs
	return r
}

func mallocs() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Mallocs
}
