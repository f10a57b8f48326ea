//go:build explore

package gc

// The flaws are mistakes that controls of the explorer make on purpose, to see that they are found.
// flaws.go describes them.
var (
	flawNoBarrier, flawUnpainted, flawUnfenced, flawUnconfirmed, flawEarlyTrace, flawEarlySweep, flawNoRecount,
	flawBlindSweep, flawStoreSweep, flawUncoloured, flawNoHazard bool
)
