// Package prefetch asks the processor for a cache line ahead of its use.
//
// A ring through which items move from one core to another costs a cache miss for each line, twice:
// the producer fetches the line from the consumer that emptied it, and the other way round. Each
// operation ends with an atomic one, which waits for all before it, so such misses do not overlap
// by themselves. The processor's own prefetcher guesses well for words that are read in order, and
// less well for lines that another core has written. A hint some operations ahead hides most of a
// miss, for about half a nanosecond.
//
// Only a benchmark can tell whether a hint pays, because it takes the line away from the core that
// has it. So it is for lines that this core is going to write, at a distance at which the other
// core no longer needs them.
//
//	prefetch_asm.go, prefetch_amd64.s, prefetch_arm64.s   the processor's instruction
//	prefetch_portable.go                                  nothing: other processors, and the build
//	                                                      tag freerun_portable
package prefetch

// Line is how many bytes RangeForWrite takes for a line; where lines are longer it asks twice for
// some.
const Line = 64
