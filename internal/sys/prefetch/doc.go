// Package prefetch asks the processor for a cache line ahead of its use.
//
// A ring through which items go from one core to another costs a cache miss for each line, twice: the one who fills it fetches the line
// from the one who emptied it, and the other way round. Since each operation ends with an atomic one, which waits for
// all before it, such misses do not overlap by themselves. The processor's own prefetcher guesses well for words read in
// order, less well for lines that another core has written. A hint some operations ahead hides most of it, for about half a ns.
//
// Only a benchmark can tell whether a hint pays: it takes the line away from the core that has it. So it is for lines that this core
// is going to write, at a distance at which the other one has no business there any more.
//
//	prefetch_asm.go, prefetch_amd64.s, prefetch_arm64.s   the processor's instruction
//	prefetch_portable.go                                  nothing, for other processors and builds with the tag freerun_portable
package prefetch

// Line is how many bytes RangeForWrite takes for a line; where lines are longer it asks twice for some.
const Line = 64
