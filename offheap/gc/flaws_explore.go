//go:build explore

package gc

// The flaws are mistakes that tests of the explorer make on purpose, to see that they are found (flaws.go says which).
var (
	flawNoBarrier, flawUnpainted, flawUnfenced, flawUnconfirmed, flawEarlyTrace, flawEarlySweep, flawNoRecount,
	flawBlindSweep, flawStoreSweep, flawUncoloured, flawNoHazard bool
)
