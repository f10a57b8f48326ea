package skynet

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// degree is how many children a node has at most.
const degree = 10

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "skynet",
	Doc:       "a tree of tasks, ten children to a node, whose leaves' ordinals are summed up",
	Source:    "A. Temerev, Skynet 1M concurrency microbenchmark",
	Operation: "leaf",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "leaves of the tree", Default: 1_000_000, Quick: 100_000, Min: 10, Max: 100_000_000},
	},
	Variants: []programs.Variant{
		{Name: "serial", Kind: programs.Baseline, Doc: "plain recursion on one goroutine, the work itself", Run: runSerial},
		{Name: "futures", Kind: programs.Freerun, Doc: "a free operation a node, and one that waits for its ten futures", Simulable: true, Run: runFutures},
		{Name: "lazy", Kind: programs.Freerun, Doc: "the same operations, declared small: most run where they are sent", Simulable: true, Run: runLazy},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine a node, answers over channels", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string {
		n := int64(v.Get(programs.Size))
		return strconv.FormatInt(n*(n-1)/2, 10)
	},
}

// span is the leaves below a node: the first one and their number. A span of one is a leaf.
type span struct{ first, leaves int32 }

// children returns how many children the node has.
func (s span) children() int { return int(min(degree, s.leaves)) }

// child returns the leaves below child i of the node. The first children have one more if the
// leaves cannot be shared evenly.
func (s span) child(i int) span {
	n := int32(s.children())
	share, over, at := s.leaves/n, s.leaves%n, int32(i)
	c := span{first: s.first + at*share + min(at, over), leaves: share}
	if at < over {
		c.leaves++
	}
	return c
}
