// Package bench measures the programs of freerun. Each program has several variants: those written
// with freerun, and those that a good Go engineer would write without it. `freerun bench` is the
// command line of this package.
//
// The rules that make a figure trustworthy:
//
//   - Variants take turns. One run is every variant once (A B C), and runs follow each other (A B C
//     A B C …), so that a machine that slows down slows all of them down.
//   - A figure is the median over the runs. It stands beside the least and the greatest value.
//   - The number of processors is the same for all variants: it is GOMAXPROCS for plain Go and,
//     besides, the number of processors of a freerun runtime.
//   - Only the measured part is measured: set-up, tear-down and the garbage of others lie outside
//     the clock.
//   - Every result is checked. A run with a wrong result yields an error and no figure.
//
// A [Runner] carries out each measurement. [Isolated] starts a process for it, which warms up
// first, so that no variant slows another one down: `freerun bench` measures so. [InProcess]
// measures in the caller's process, where all variants share a heap. There the goroutine variant of
// fib leaves tens of thousands of dead goroutines behind, which Go keeps and every later collection
// walks through, so a variant that allocates may be slower than alone.
//
// [NewPlan] turns a [Request] into a [Plan], or into a [*UsageError] that says which request would
// have been right. [Plan.Run] measures and hands out a [Row] per variant and number of processors.
// [Plan.WriteSummary], [Plan.WriteTable] and [Row.MarshalJSON] present rows. [ReadRows] reads rows
// that were written earlier.
//
// Rivals are variants written with other libraries. They are measured if [Request] asks for them.
// This package links none of them: package programs/catalogue lists the programs without rivals,
// and package catalogue, below, with them.
//
// Package report, below, draws rows beside the papers' figures. Package rivals, below, has ordinary
// Go benchmarks of the libraries that a user might pick instead.
package bench
