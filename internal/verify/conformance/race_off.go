//go:build !race

package conformance

// RaceDetector reports whether the race detector is on. Tests then do fewer of the steps that are
// slow under it.
const RaceDetector = false
