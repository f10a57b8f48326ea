//go:build !explore

package gc

// The flaws are mistakes that controls of the explorer make on purpose, to see that they are found.
// This build has none, and the compiler drops the code that asks for them.
const (
	flawNoBarrier   = false // Store does not paint the object
	flawUnpainted   = false // Load and Clone do not paint the object
	flawUnfenced    = false // Load does not make the root visible before it looks again
	flawUnconfirmed = false // Load does not look at the field again
	flawEarlyTrace  = false // tracing begins before all roots were looked at
	flawEarlySweep  = false // sweeping begins when a single pass finds no grey object
	flawNoRecount   = false // the found objects are not counted again after the roots
	flawBlindSweep  = false // sweeping ignores the announcements of allocators
	flawStoreSweep  = false // sweeping stores its result, instead of comparing and swapping
	flawUncoloured  = false // New does not colour objects that were reserved in an earlier cycle
	flawNoHazard    = false // a chunk loses its memory while a collector is looking into it
)
