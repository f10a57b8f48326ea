//go:build race

package ladder

const raceDetector = true
