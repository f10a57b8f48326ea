// Package prefetch asks the processor for a cache line ahead of its use.
//
// A ring through which items move from one core to another costs a cache miss for each line, twice:
// the producer fetches the line from the consumer that emptied it, and the other way round. Each
// operation on the ring ends with an atomic instruction, which waits for all instructions before
// it, so such misses do not overlap by themselves. The processor's own prefetcher guesses well for
// words that are read in order, and less well for lines that another core has written. A hint some
// operations ahead hides most of a miss, for about two nanoseconds.
//
// Only a benchmark can tell whether a hint pays, because it takes the line away from the core that
// has it. So a hint is for lines that this core is going to write and the other core no longer
// needs.
//
//	prefetch_asm.go, prefetch_amd64.s, prefetch_arm64.s   the processor's instruction
//	prefetch_portable.go                                  nothing: other processors, and the build
//	                                                      tag freerun_portable
package prefetch

// Line is the size of a cache line in bytes, as RangeForWrite assumes it. On a processor with
// longer lines it asks for some lines twice.
const Line = 64
