//go:build !explore

package gc

// The flaws are mistakes that tests of the explorer make on purpose, to see that they are found. Here there are none, and the compiler drops what
// asks for them.
const (
	flawNoBarrier   = false // Set does not paint what it stores
	flawUnpainted   = false // Get does not paint what it roots
	flawUnfenced    = false // Get does not see to it that collectors see the root before it looks at the field again
	flawUnconfirmed = false // Get does not look at the field again
	flawEarlyTrace  = false // tracing begins before all roots were looked at
	flawEarlySweep  = false // sweeping begins when nothing is grey at a glance
	flawNoRecount   = false // the roots are looked at again, and then nobody counts again
	flawBlindSweep  = false // sweeping does not look at what allocators announce
	flawStoreSweep  = false // sweeping stores what it computed, instead of comparing and swapping
	flawUncoloured  = false // New does not colour what was reserved in an earlier cycle
	flawNoHazard    = false // a chunk loses its memory while somebody is looking into it
)
