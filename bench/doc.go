// Package bench measures the programs of freerun, each in all its variants: those written with freerun and those that
// a good Go engineer would write without it. `freerun bench` is its command line.
//
// The rules, so that a figure can be trusted:
//
//   - Variants take turns. One run is every variant once (A B C), and runs follow each other (A B C A B C …), so that a
//     machine that slows down slows all of them down.
//   - A figure is the median over the runs, and stands beside its least and its greatest value.
//   - The number of processors holds for everybody: it is GOMAXPROCS for plain Go and, besides, the number of
//     processors of a freerun runtime.
//   - Only the measured part is measured: set-up, tear-down and the garbage of others lie outside the clock.
//   - Every result is checked. A run with a wrong result yields an error and no figure.
//
// What the rules do not undo: all variants run in one process. The goroutine variant of fib leaves tens of thousands of
// dead goroutines behind, which Go keeps and every later collection walks through, so a variant that allocates may be
// slower in its company than alone. To see a variant alone, measure only that one.
//
// [NewPlan] turns what a user asked for into a [Plan], or into a [*UsageError] that says what would have been right.
// [Plan.Run] measures and hands out a [Row] per variant and number of processors. [Plan.WriteTable] and [Row.MarshalJSON]
// present them.
//
// Variants written with other libraries, rivals, are measured if [Request] asks for them.
//
// Package report, below, draws rows beside the papers' figures. [ReadRows] reads those that were written before.
//
// The folder rivals has ordinary Go benchmarks of the libraries a user might pick instead.
package bench
