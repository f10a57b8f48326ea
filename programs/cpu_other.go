//go:build !unix && !windows

package programs

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// cpuTime returns how much CPU time the process has used, as Go's runtime estimates it at the end
// of a collection: Go knows no system call for it here. Do not compare its figures with those of
// other systems.
func cpuTime() (time.Duration, bool) {
	runtime.GC()
	used := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(used)
	for _, s := range used {
		if s.Value.Kind() != metrics.KindFloat64 {
			return 0, false
		}
	}
	return time.Duration((used[0].Value.Float64() - used[1].Value.Float64()) * float64(time.Second)), true
}
