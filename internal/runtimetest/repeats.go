package runtimetest

import "github.com/freerun-go/freerun/internal/sys/goid"

// raceDetector reports whether the race detector looks on.
var raceDetector = false

// Repeats returns how often a test repeats what it holds: n times in the build that is shipped, and
// a tenth of that, at least once, with the race detector and in the portable build, where all takes
// ten times as long.
func Repeats(n int) int {
	if raceDetector || goid.WalksStack {
		return max(n/10, 1)
	}
	return n
}
