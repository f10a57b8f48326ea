//go:build gc && amd64 && linux && !freerun_portable && !go1.27

package ticks

import (
	"os"
	"strings"
	"time"
)

// counts is true if the counter is reliable.
var counts = func() bool {
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	return err == nil && strings.TrimSpace(string(source)) == "tsc"
}()

var base = time.Now()

// Now returns the time in ticks. Any goroutine may call it; it does not wait.
func Now() uint64 {
	if counts {
		return Counter()
	}
	return uint64(time.Since(base))
}

// Counts reports whether Now is [Counter] and nothing else. A frequent caller may call Counter
// then.
func Counts() bool { return counts }

// Counter reads the time-stamp counter.
func Counter() uint64
