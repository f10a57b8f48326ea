package conformance

import "testing"

// Sizes of the rungs. Numbers of items are for all producers together.
const (
	sequentialCalls = 4_000
	wrapLaps        = 200
	orderItems      = 20_000
	stampedeRounds  = 200
	stressItems     = 40_000
	batchItems      = 40_000
	wideItems       = 20_000
	truthfulItems   = 20_000
	balancedRounds  = 5_000 // of each goroutine
	linearRounds    = 120
	lockCounts      = 20_000 // of all goroutines together
	lockHandoffs    = 60
)

// size returns n, or less under the race detector and with -short.
func size(n int) int {
	if RaceDetector {
		n /= 5
	}
	if testing.Short() {
		n /= 4
	}
	return n
}
