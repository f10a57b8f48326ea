package programs

import "testing"

// TestCPUTimeGrows uses some until it does.
func TestCPUTimeGrows(t *testing.T) {
	first, known := cpuTime()
	for known {
		now := first
		if now, known = cpuTime(); now < first {
			t.Fatalf("%v of CPU time after %v", now, first)
		}
		if now > first {
			return
		}
	}
	t.Fatal("the system does not tell the CPU time of a process")
}

// TestMeterCountsCPUTime holds that what is used between start and stop is in the result.
func TestMeterCountsCPUTime(t *testing.T) {
	m := StartMeter()
	begin, _ := cpuTime()
	for now := begin; now < begin+1e6; now, _ = cpuTime() { // a millisecond of it
	}
	if r := m.Stop(10); r.CPU < 1e6 || r.CPUNsPerOp() < 1e5 {
		t.Errorf("%v of CPU time, %v ns an operation; at least 1 ms was used for 10", r.CPU, r.CPUNsPerOp())
	}
	if r := (Result{CPU: 5}); r.CPUNsPerOp() != 0 {
		t.Errorf("%v ns an operation of none", r.CPUNsPerOp())
	}
}
