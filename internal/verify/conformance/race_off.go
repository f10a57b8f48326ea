//go:build !race

package conformance

// RaceDetector says whether this is a build with the race detector, under which tests do less of
// what takes long there.
const RaceDetector = false
