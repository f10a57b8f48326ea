//go:build !race

package freeruntest_test

const raceDetector = false
