package tick

import (
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/freerun-go/freerun/programs"
)

// period is how often there is a task.
const period = time.Millisecond

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "tick",
	Doc:       "one task a millisecond; the time is CPU time, of the whole process",
	Source:    "isolates waking up and going to sleep again",
	Operation: "tick, of CPU time",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "ticks in all", Default: 1_000, Quick: 100, Min: 10, Max: 10_000_000},
	},
	Variants: []programs.Variant{
		{Name: "units", Kind: programs.Freerun, Doc: "a ticker wakes a goroutine, which sends to a unit by Tell", Run: runUnits},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a ticker wakes a goroutine, which does the task itself", Run: runGoroutines},
		{Name: "channels", Kind: programs.PlainGo, Doc: "a ticker wakes a goroutine, which wakes another over a channel", Run: runChannels},
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(v.Get(programs.Size)) },
}

// run calls tick for each of this many ticks, and measures the CPU time of the process meanwhile.
// At the end it calls finish, which returns how many tasks were done.
func run(size int, tick func() error, finish func() (int, error)) (result programs.Result, err error) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	meter := programs.StartMeter()
	for range size {
		<-ticker.C
		if err := tick(); err != nil {
			return result, err
		}
	}
	result = meter.Stop(uint64(size))
	result.Figures = []programs.Figure{
		{Name: "wall_ns_per_tick", Doc: "ns from tick to tick", Value: uint64(result.Elapsed) / uint64(size)},
	}
	if result.CPU == 0 {
		return result, fmt.Errorf("tick: the CPU time of a process cannot be read on %s", runtime.GOOS)
	}
	result.Elapsed = result.CPU
	done, err := finish()
	result.Checksum = strconv.Itoa(done)
	return result, err
}
