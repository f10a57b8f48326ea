package fib

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// work is the name of the parameter for the extra work at each operation.
const work = "work"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "fib",
	Doc:       "tree-recursive Fibonacci: messages and futures with next to no work in between",
	Source:    "Quirk 2008, section 9, figures 4 to 6",
	Operation: "call of fib",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "which Fibonacci number", Default: 30, Quick: 23, Min: 10, Max: 45},
		{Name: work, Doc: "count to this at each call and each addition", Default: 0, Quick: 0, Min: 0, Max: 1_000_000_000},
	},
	Variants: []programs.Variant{
		{Name: "serial", Kind: programs.Baseline, Doc: "plain recursion on one goroutine, the work itself", Run: runSerial},
		{Name: "join", Kind: programs.Freerun, Doc: "fork and join with a declared branch: the typed form", Forks: true, Run: runJoin},
		{Name: "join-closures", Kind: programs.Freerun, Doc: "fork and join with two closures", Forks: true, Run: runJoinClosures},
		{Name: "futures", Kind: programs.Freerun, Doc: "two free operations a call, and a third that waits for their futures", Simulable: true, Run: runFutures},
		{Name: "lazy", Kind: programs.Freerun, Doc: "the same operations, declared small: run where they are sent while no processor is idle", Simulable: true, Run: runLazy},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "one branch in a goroutine that answers over a channel, the other inline", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(number(v.Get(programs.Size))) },
}

// number returns the n-th Fibonacci number by addition from below. The recursive variants are
// compared with it.
func number(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

// calls returns how many calls of fib the recursion for n makes: one for each leaf and one for each
// addition. There are fib(n+1) leaves.
func calls(n int) uint64 { return 2*uint64(number(n+1)) - 1 }

// count is the extra work of one operation. It is not inlined and its result is used, so the
// compiler cannot see that the loop has no purpose. All variants call this same code.
//
//go:noinline
func count(n int) int {
	sum := 0
	for i := range n {
		sum ^= i
	}
	return sum
}

// burn does the extra work and returns 0, in a way that the compiler must carry out.
func burn(n int) int {
	if n > 0 && count(n) < 0 {
		return 1
	}
	return 0
}
