package programs

import (
	"runtime"
	"time"
)

// Meter measures the measured part of a run. One goroutine starts and stops it.
type Meter struct {
	allocs uint64
	cpu    time.Duration
	now    func() time.Time
	start  time.Time
}

// StartMeter first collects garbage, so that no run pays for an earlier run or for the set-up. Then
// it reads the allocation counter and the CPU time, and starts the clock, in this order.
func StartMeter() Meter { return startMeter(time.Now, nil) }

// startMeter is StartMeter with another clock. It calls ahead, unless that is nil, after the
// collection.
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

// Stop stops the clock and returns the measured fields of a result for this many operations.
func (m Meter) Stop(operations uint64) Result {
	return m.StopAt(m.now(), operations)
}

// StopAt is [Meter.Stop] for a measured part that ended earlier, at an instant that its last
// operation noted: waking the goroutine that waits for the end is not part of the program. The CPU
// time is that until now.
func (m Meter) StopAt(end time.Time, operations uint64) Result {
	r := Result{Operations: operations, Elapsed: end.Sub(m.start)}
	if now, known := cpuTime(); known {
		// A coarse clock may not see a short run, which used some CPU time all the same.
		r.CPU = max(1, now-m.cpu)
	}
	r.Allocs = mallocs() - m.allocs
	return r
}

func mallocs() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Mallocs
}
