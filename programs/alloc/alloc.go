package alloc

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramTasks   = "tasks"
	paramForeign = "foreign"
	paramBlocks  = "blocks"
	paramBatch   = "batch"
	paramTouch   = "touch"
)

// Program is the program with all its variants but the rivals.
var Program = &programs.Program{
	Name:      "alloc",
	Doc:       "tasks allocate blocks of memory and free them",
	Source:    "Lock Free Runtime System, the graphs of the memory manager",
	Operation: "block allocated and freed",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "bytes of a block", Default: 1000, Quick: 1000, Min: 10, Max: 1 << 20},
		{Name: paramTasks, Doc: "tasks that the blocks are divided among", Default: 2, Quick: 2, Min: 1, Max: 64},
		{Name: paramForeign, Doc: "batches in 100 that are freed by another task", Default: 0, Quick: 0, Min: 0, Max: 100},
		{Name: paramBlocks, Doc: "blocks in all", Default: 1_000_000, Quick: 20_000, Min: 1, Max: 1_000_000_000},
		{Name: paramBatch, Doc: "blocks that a task has when it frees the earlier ones", Default: 64, Quick: 64, Min: 1, Max: 4096},
		{Name: paramTouch, Doc: "1 to write and read all bytes of a block, 0 for its first 8 and its last one", Default: 1, Quick: 1, Min: 0, Max: 1},
	},
	Points: points(),
	Variants: []programs.Variant{
		Variant("offheap", programs.Freerun, "offheap.Arena: Alloc and Free", openArena),
		Variant("offheap-zero", programs.Freerun, "offheap.Arena: AllocZero and Free; blocks come zeroed", openZeroArena),
		Variant("make", programs.PlainGo, "make, and Go's collector; blocks come zeroed", openHeap),
		Variant("pool", programs.PlainGo, "a sync.Pool of blocks of make", openPool),
	},
	Expected: func(v programs.Values) string {
		n := uint64(v.Get(paramBlocks))
		return strconv.FormatUint(n*(n+1)/2, 10)
	},
}

// points are the graphs of the lecture, for each kind of frees, of which nothing is known but that
// blocks were allocated and freed; then blocks that are used, all their bytes. The last one is for
// an overview.
func points() (all []map[string]int) {
	for _, size := range []int{10_000, 1000} {
		for _, foreign := range []int{100, 0} {
			for _, tasks := range []int{64, 8, 1, 2} {
				all = append(all, map[string]int{programs.Size: size, paramForeign: foreign, paramTasks: tasks, paramTouch: 0})
			}
		}
	}
	for _, size := range []int{10_000, 1000} {
		for _, tasks := range []int{1, 2} {
			all = append(all, map[string]int{programs.Size: size, paramForeign: 0, paramTasks: tasks, paramTouch: 1})
		}
	}
	return all
}

// Memory is a task's way to allocate and free. R identifies a block. One goroutine at a time calls
// its functions, but the goroutine of another task may free its blocks.
type Memory[R any] interface {
	// Alloc returns a block of at least this many bytes, with arbitrary contents.
	Alloc(size int) (R, error)
	// Bytes returns the contents of a block.
	Bytes(block R) []byte
	// Free frees a block that was not freed before.
	Free(block R) error
}

// Demand tells what the memory of a run must be able to serve.
type Demand struct {
	Size    int  // bytes of a block
	Tasks   int  // tasks that use it at the same time
	Blocks  int  // blocks allocated in all, by all tasks together
	Live    int  // blocks in use at most, by all tasks together
	Foreign bool // whether tasks free blocks of other tasks
}

// Source is the memory of a run.
type Source[R any] struct {
	// Task returns the memory of one task, which may be the same for all. It is called once for
	// each task, before any of them begins.
	Task func(i int) Memory[R]
	// Close ends the memory after all blocks have been freed, outside the clock. It returns an
	// error for blocks that are left, if it can tell.
	Close func() error
}

// Open makes the memory of a run, outside the clock.
type Open[R any] func(Demand) (Source[R], error)

// Variant returns the program written with such memory.
func Variant[R any](name string, kind programs.Kind, doc string, open Open[R]) programs.Variant {
	return programs.Variant{Name: name, Kind: kind, Doc: doc, Run: func(cfg programs.Config) (programs.Result, error) {
		return run(open, cfg.Values)
	}}
}
