package trees

import (
	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramTasks      = "tasks"
	paramCollectors = "collectors"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "trees",
	Doc:       "tasks build binary trees, count their nodes, and drop them",
	Source:    "binary-trees of the Computer Language Benchmarks Game",
	Operation: "node allocated, counted and collected",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "depth of the long-lived tree", Default: 16, Quick: 12, Min: 10, Max: 24},
		{Name: paramTasks, Doc: "tasks that the short-lived trees are divided among, 0 for one on each processor", Default: 0, Quick: 0, Min: 0, Max: 1000},
		{Name: paramCollectors, Doc: "goroutines that collect; Go has its own", Default: 2, Quick: 2, Min: 0, Max: 1000},
	},
	Variants: []programs.Variant{
		{Name: "offheap", Kind: programs.Freerun, Doc: "objects of an offheap/gc.Heap, and its collectors", Run: runOffheap},
		{Name: "make", Kind: programs.PlainGo, Doc: "nodes on Go's heap, and its collector", Run: runHeap},
	},
	Expected: func(v programs.Values) string { return newPlan(v, 1).due() },
}
