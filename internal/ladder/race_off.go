//go:build !race

package ladder

// RaceDetector says whether this is a build with the race detector, under which tests do less of what takes long there.
const RaceDetector = false
