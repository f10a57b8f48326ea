package create

import (
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/freerun-go/freerun/programs"
)

const paramBatch = "batch"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "create",
	Doc:       "one task creates empty ones, and waits for their end",
	Source:    "fourth paper, section 6, figure 7",
	Operation: "task created, run and ended",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "tasks at least, in as many batches as that takes", Default: 1_000_000, Quick: 20_000, Min: 10, Max: 1_000_000_000},
		{Name: paramBatch, Letter: "n", Doc: "tasks that are created before their end is waited for", Default: 1_000_000, Quick: 1000, Min: 1, Max: 100_000_000},
	},
	Points: []map[string]int{{paramBatch: 1}, {paramBatch: 1_000_000}, {paramBatch: 1000}},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each, created by an activity", Run: runActivities},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a go statement for each", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string {
		w := newWork(v)
		return strconv.Itoa(w.batches * w.batch)
	},
}

// work is the tasks to be created.
type work struct {
	batches, batch int
	left           atomic.Int64 // tasks left of the batch under way
	ended          int          // tasks of earlier batches; owned by the creator
}

func newWork(v programs.Values) *work {
	batch := v.Get(paramBatch)
	return &work{batches: (v.Get(programs.Size) + batch - 1) / batch, batch: batch}
}

// begin begins a batch.
func (w *work) begin() { w.left.Store(int64(w.batch)) }

// last is the body of each task. It reports whether the task is the last of its batch.
func (w *work) last() bool { return w.left.Add(-1) == 0 }

// end ends a batch after its last task. It finds a task that ran twice.
func (w *work) end() { w.ended += w.batch - int(w.left.Load()) }

// operations is how many tasks are created.
func (w *work) operations() uint64 { return uint64(w.batches) * uint64(w.batch) }

// fewest is the number of tasks from which their memory is reported: that of fewer is lost in what
// a process needs anyway.
const fewest = 1000

// sample is the maximal number of tasks whose memory is measured.
const sample = 100_000

// memory returns the figures about memory: what the process obtained in all, and what one task
// takes from its creation until it runs. hold creates this many tasks, none of which ends before
// all were created, and returns how much more memory is live then.
func (w *work) memory(hold func(tasks int) (bytes uint64, err error)) ([]programs.Figure, error) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	figures := []programs.Figure{{Name: "process_bytes", Doc: "bytes that the process has obtained for all of its memory", Value: now.Sys}}
	if w.batch < fewest {
		return figures, nil
	}
	tasks := min(w.batch, sample)
	bytes, err := hold(tasks)
	figures = append(figures, programs.Figure{
		Name: "bytes_each", Doc: "bytes of a task that waits for its turn", Value: bytes / uint64(tasks),
	})
	return figures, err
}

// live returns the bytes in use by objects and stacks.
func live() uint64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return now.HeapAlloc + now.StackInuse
}

// grown returns how much live memory has grown over an earlier figure.
func grown(before uint64) uint64 {
	now := live()
	return max(now, before) - before
}
