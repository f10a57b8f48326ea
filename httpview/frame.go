package httpview

import "runtime/metrics"

// frame is the data that the page gets each second. Counters count from the start of the runtime;
// the page shows their growth.
type frame struct {
	Title     string  `json:"title"`
	Started   string  `json:"started"`
	PID       int     `json:"pid"`
	Go        string  `json:"go"`
	Now       float64 `json:"now"` // milliseconds since 1970
	Ended     bool    `json:"ended"`
	InService int     `json:"inService"`

	Sent   uint64 `json:"sent"`
	Done   uint64 `json:"done"`
	Failed uint64 `json:"failed"`
	Lost   uint64 `json:"lost"`
	Panics uint64 `json:"panics"`
	Late   uint64 `json:"late"`

	Process    process     `json:"process"`
	Processors []processor `json:"processors"`
	Sample     sample      `json:"sample"`
	Operations []operation `json:"operations"`
	Units      []unit      `json:"units"`
	Incidents  []incident  `json:"incidents"`
	Losses     []loss      `json:"losses"`
	// Suspended has the longest suspended units, SuspendedUnits says how many there are.
	Suspended      []suspended `json:"suspended"`
	SuspendedUnits int         `json:"suspendedUnits"`

	Kinds   []kind         `json:"kinds"`
	Modules []moduleFigure `json:"modules"`
}

type processor struct {
	Messages  uint64 `json:"messages"`
	Steals    uint64 `json:"steals"`
	Stolen    uint64 `json:"stolen"`
	Searches  uint64 `json:"searches"`
	Parks     uint64 `json:"parks"`
	Wakes     uint64 `json:"wakes"`
	Yields    uint64 `json:"yields"`
	Operation string `json:"operation"` // running now
	Unit      string `json:"unit"`
}

type incident struct {
	At        int64   `json:"at"` // milliseconds since 1970
	Operation string  `json:"operation"`
	Unit      string  `json:"unit"`
	Been      float64 `json:"been"` // milliseconds
	Stack     string  `json:"stack"`
}

// suspended is a unit that lies still until a future has an outcome.
type suspended struct {
	Unit  string `json:"unit"`
	Since int64  `json:"since"` // milliseconds since 1970
}

// loss is a message without a future that has failed.
type loss struct {
	At        int64    `json:"at"` // milliseconds since 1970
	Operation string   `json:"operation"`
	Unit      string   `json:"unit"`
	Error     string   `json:"error"`
	Scope     string   `json:"scope"`
	Senders   []string `json:"senders"`
}

// process has the figures of Go's runtime about the process. CPU excludes idle time.
type process struct {
	Goroutines uint64  `json:"goroutines"`
	Heap       uint64  `json:"heap"` // bytes in objects that are live or not yet collected
	CPU        float64 `json:"cpu"`  // seconds since the start
}

func readProcess() process {
	samples := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return process{Goroutines: samples[0].Value.Uint64(), Heap: samples[1].Value.Uint64(), CPU: cpuSeconds()}
}
