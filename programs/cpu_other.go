//go:build !unix && !windows

package programs

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// cpuTime returns how much CPU time the process has used, as Go's runtime estimates it at the end of a collection: the system has no
// call for it that Go knows. Figures from here are not to be compared with those of other systems.
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
